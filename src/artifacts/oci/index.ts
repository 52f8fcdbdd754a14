/** OCI images: made from files, kept in a store, written to disk, pulled from and pushed to registries. */
export { type BlobStore, openBlobStore } from './content/blob-store.ts';
export { type Digest, isDigest } from './content/digest.ts';
export { locked } from './content/lock.ts';
export type { Part } from './content/part.ts';
export { systemWords, writeError } from './content/write-error.ts';
export { writeArchive } from './image/archive.ts';
export {
  type BuiltImage,
  buildImage,
  buildIndex,
  buildLayer,
  type Layer,
  type LayerOptions,
} from './image/build.ts';
export { importLayout } from './image/layout.ts';
export { formatReference, parseReference, type Reference } from './image/reference.ts';
export type { TreeItem } from './image/tree.ts';
export type { Descriptor } from './image/types.ts';
export type { Credentials } from './registry/auth.ts';
export type { TransferProgress } from './registry/progress.ts';
export { openRegistry, type Registry } from './registry/registry.ts';
export type { RegistryOptions } from './registry/transport.ts';
