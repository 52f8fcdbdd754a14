import type { Runtime } from '../model/cluster/container-runtime.ts';
import type { Wanted } from '../plan/ref.ts';
import { dedicated } from '../plan/step.ts';
import { image, type Kept, uploads } from './generic/index.ts';

/** The dedicated steps that bring artifacts to hosts. */
export const installPrograms = dedicated(
  'programs',
  uploads,
  'Programs of a component, each sent once and compared by its digest.',
  (params: { readonly artifacts: Readonly<Record<string, Wanted<Kept | null>>>; readonly directory: string }) =>
    uploads({ files: params.artifacts, directory: params.directory, mode: '0755', owner: 'root:root' }),
);

/** An image that no registry has to be asked for. */
export const importImage = dedicated(
  'image',
  image,
  'An image of the cluster in the runtime of the host, imported from a tar.',
  (params: { readonly runtime: Runtime; readonly reference: string; readonly artifact: Wanted<Kept> }) =>
    image({ runtime: params.runtime, reference: params.reference, source: params.artifact }),
);
