import type { Digest } from '../content/digest.ts';
import type { Descriptor } from '../image/types.ts';

/** How far a transfer is. */
export interface TransferProgress {
  /** The blob that got on, and how far it is. */
  readonly digest: Digest;
  readonly done: number;
  readonly size: number;
  /** Over all blobs, those included that needed no transfer. */
  readonly allDone: number;
  readonly allSize: number;
}

/** Told whenever something came or went. */
export type OnProgress = (progress: TransferProgress) => void;

/** Adds up how far several blobs are. */
export function counter(blobs: readonly Descriptor[], report: OnProgress | undefined) {
  const at = new Map<Digest, number>();
  const allSize = blobs.reduce((sum, { size }) => sum + size, 0);
  let allDone = 0;
  return ({ digest, size }: Descriptor, done: number): void => {
    allDone += done - (at.get(digest) ?? 0);
    at.set(digest, done);
    report?.({ digest, done, size, allDone, allSize });
  };
}
