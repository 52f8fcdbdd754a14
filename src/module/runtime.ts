import { defineModule } from '../plan/layers.ts';
import { containerdTask } from '../task/runtime/containerd.ts';

/** The configuration that this module acts on. */
export const runtimeFields = [
  'spec.kubernetes.containerRuntime.type=containerd',
  'spec.kubernetes.containerRuntime.version',
  'spec.kubernetes.containerRuntime.containerd.**',
  'spec.registry.containerdDataDir',
  'spec.registry.registryMirrors.**',
  'spec.registry.insecureRegistries.**',
  'spec.registry.auths.*.plainHTTP',
  'spec.registry.auths.*.skipTLSVerify',
];

/** The container runtime of every node. */
export const runtimeModule = defineModule({
  name: 'runtime',
  description: 'The container runtime of every node.',
  tasks: [containerdTask],
  plan: (context) => ({ fragment: containerdTask.use(context).fragment, outputs: undefined }),
});
