import { sequence } from '../plan/combinators.ts';
import { defineModule } from '../plan/layers.ts';
import { importImagesTask } from '../task/artifacts/import-images.ts';
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

/** The container runtime of every node, with the images that the cluster starts there. */
export const runtimeModule = defineModule({
  name: 'runtime',
  description: 'The container runtime of every node, and the images in it.',
  tasks: [containerdTask, importImagesTask],
  plan: (context) => ({
    fragment: sequence(containerdTask.use(context).fragment, importImagesTask.use(context).fragment),
    outputs: undefined,
  }),
});
