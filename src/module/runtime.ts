import { fixedFields } from '../component/index.ts';
import { defineModule } from '../plan/layers.ts';
import { importImagesTask } from '../task/artifacts/import-images.ts';
import { containerdTask } from '../task/runtime/containerd.ts';

/** The container runtime of every node. */
export const runtimeModule = defineModule({
  name: 'runtime',
  description: 'The container runtime of every node.',
  tasks: [containerdTask],
  fixed: fixedFields('runtime'),
  plan: (context) => ({ fragment: containerdTask.use(context).fragment, outputs: undefined }),
});

/** What the cluster starts on every node; it needs the runtime, and nothing else of the machine. */
export const imagesModule = defineModule({
  name: 'images',
  description: 'The images of every node, in its container runtime.',
  tasks: [importImagesTask],
  plan: (context) => ({ fragment: importImagesTask.use(context).fragment, outputs: undefined }),
});
