import type { BlobStore } from '../content/blob-store.ts';
import type { Digest } from '../content/digest.ts';
import type { Reference } from '../image/reference.ts';
import type { Descriptor } from '../image/types.ts';
import { type Pulled, type PullOptions, pull, resolve } from './pull.ts';
import { type PushOptions, push } from './push.ts';
import { type RegistryOptions, Transport } from './transport.ts';

/** A registry to pull from and to push to. References name what is in it; the registry that they name does not matter. */
export interface Registry {
  /** The digest that a reference stands for now; undefined where the registry has no such image. */
  resolve(reference: Reference, signal?: AbortSignal): Promise<Digest | undefined>;
  pull(store: BlobStore, reference: Reference, options?: PullOptions): Promise<Pulled>;
  /** Without a tag the image can be had by its digest only, which is returned. */
  push(store: BlobStore, root: Descriptor, reference: Reference, options?: PushOptions): Promise<Digest>;
  /** Closes the connections that are kept open. */
  close(): void;
}

/** Opens a registry. Nothing is sent before it is used. */
export function openRegistry(options: RegistryOptions): Registry {
  const transport = new Transport(options);
  return {
    resolve: (reference, signal = new AbortController().signal) => resolve(transport, reference, signal),
    pull: (store, reference, more) => pull(transport, store, reference, more),
    push: (store, root, reference, more) => push(transport, store, root, reference, more),
    close: () => transport.close(),
  };
}
