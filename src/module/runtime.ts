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

/** The container runtime of every node. */
export const runtimeModule = defineModule({
  name: 'runtime',
  description: 'The container runtime of every node.',
  tasks: [containerdTask],
  // Each node has told the cluster which socket its pods are at; in another directory there is nothing of what runs.
  fixed: ['spec.kubernetes.containerRuntime.type', 'spec.registry.containerdDataDir'],
  plan: (context) => ({ fragment: containerdTask.use(context).fragment, outputs: undefined }),
});

/** What the cluster starts on every node; it needs the runtime, and nothing else of the machine. */
export const imagesModule = defineModule({
  name: 'images',
  description: 'The images of every node, in its container runtime.',
  tasks: [importImagesTask],
  plan: (context) => ({ fragment: importImagesTask.use(context).fragment, outputs: undefined }),
});
