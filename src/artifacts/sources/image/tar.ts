import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Arch } from '../../../model/catalog/schema.ts';
import type { Supplied, SupplyIo } from '../../cache/types.ts';
import { type BlobStore, type Descriptor, formatReference, parseReference, writeArchive } from '../../oci/index.ts';

/**
 * Writes an image of the store as one tar that every runtime imports, for one processor, and keeps that in the store too. The
 * same image under the same name gives the same tar, on every machine.
 */
export async function imageTar(
  store: BlobStore,
  reference: string,
  root: Descriptor,
  arch: Arch,
  io: SupplyIo,
): Promise<Supplied> {
  return await imageTarInto(store, store, reference, root, arch, io);
}

/** The same for an image whose layers nobody needs any more: only the tar goes to the second store. */
export async function imageTarInto(
  from: BlobStore,
  to: BlobStore,
  reference: string,
  root: Descriptor,
  arch: Arch,
  io: SupplyIo,
): Promise<Supplied> {
  io.signal.throwIfAborted();
  const named = formatReference(parseReference(reference));
  // Where the store sweeps what a killed process leaves.
  const file = join(from.dir, 'ingest', `${randomUUID()}.tar`);
  try {
    await writeArchive(from, file, [{ root, names: [named] }], {
      platform: { os: 'linux', architecture: arch },
      signal: io.signal,
      progress: (bytes) => io.progress(bytes, undefined),
    });
    const { digest, size } = await to.write(readThrough(file, io.signal));
    return { sha256: digest.replace(/^sha256:/, ''), size };
  } finally {
    await rm(file, { force: true });
  }
}

async function* readThrough(file: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    signal.throwIfAborted();
    yield chunk as Buffer;
  }
}
