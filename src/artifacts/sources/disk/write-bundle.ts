import { createHash, randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { KubexmError, kubexmError } from '../../../model/errors/index.ts';
import type { Supplied } from '../../cache/types.ts';
import { type TarEntry, tar } from '../../oci/content/tar.ts';
import type { BlobStore } from '../../oci/index.ts';
import { blobPath, formatIndex, INDEX } from './index-file.ts';

/** What writing a bundle may use. */
export interface WriteBundleIo {
  readonly signal?: AbortSignal;
  readonly progress?: (done: number, total: number) => void;
}

/**
 * Writes items of the store into one plain tar: the same bytes for the same items, on every machine. Every blob is checked on
 * its way; the file appears only when it is whole.
 */
export async function writeBundle(
  items: ReadonlyMap<string, Supplied>,
  store: BlobStore,
  out: string,
  io: WriteBundleIo = {},
): Promise<Supplied> {
  const index = Buffer.from(formatIndex(items));
  const blobs = new Map([...items.values()].map(({ sha256, size }) => [sha256, size]));
  const total = [...blobs.values()].reduce((sum, size) => sum + size, index.length);
  const entries: TarEntry[] = [
    file(INDEX, index.length, async function* () {
      yield index;
    }),
    ...[...blobs].map(([sha256, size]) => file(blobPath(sha256), size, () => store.stream(`sha256:${sha256}`))),
  ];
  const fresh = `${out}.${randomUUID()}.new`;
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    const handle = await open(fresh, 'wx', 0o644);
    try {
      for await (const chunk of tar(entries)) {
        io.signal?.throwIfAborted();
        await handle.writeFile(chunk);
        hash.update(chunk);
        bytes += chunk.length;
        io.progress?.(Math.min(bytes, total), total);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, out);
  } catch (error) {
    await rm(fresh, { force: true });
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (error instanceof KubexmError || code === undefined || syscall === undefined) throw error;
    throw kubexmError('KX7122', { path: out, reason: message.replace(/, \w+(?: '.*')?$/, '') }, { cause: error });
  }
  return { sha256: hash.digest('hex'), size: bytes };
}

function file(path: string, size: number, read: () => AsyncIterable<Uint8Array>): TarEntry {
  return { path, mode: 0o644, content: { kind: 'file', size, read } };
}
