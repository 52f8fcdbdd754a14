import { fixedFields } from '../component/index.ts';
import { moduleOf } from '../plan/layers.ts';
import { importImagesTask } from '../task/artifacts/import-images.ts';
import { containerdTask } from '../task/runtime/containerd.ts';

/** The container runtime of every node. */
export const runtimeModule = moduleOf('runtime', 'The container runtime of every node.', containerdTask, {
  fixed: fixedFields('runtime'),
});

/** What the cluster starts on every node; it needs the runtime, and nothing else of the machine. */
export const imagesModule = moduleOf('images', 'The images of every node, in its container runtime.', importImagesTask);
