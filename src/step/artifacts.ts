import type { Wanted } from '../plan/ref.ts';
import { dedicated } from '../plan/step.ts';
import { type ImageRuntime, image, type Kept, upload } from './generic/index.ts';

/** The dedicated steps that bring artifacts to hosts. */
export const installProgram = dedicated(
  'program',
  upload,
  'A program of the cluster, sent once and compared by its digest.',
  (params: { readonly artifact: Wanted<Kept | null>; readonly path: string }) =>
    upload({ source: params.artifact, path: params.path, mode: '0755', owner: 'root:root' }),
);

/** An image that no registry has to be asked for. */
export const importImage = dedicated(
  'image',
  image,
  'An image of the cluster in the runtime of the host, imported from a tar.',
  (params: { readonly runtime: ImageRuntime; readonly reference: string; readonly artifact: Wanted<Kept> }) =>
    image({ runtime: params.runtime, reference: params.reference, source: params.artifact }),
);
