import { createHash } from 'node:crypto';
import { KubexmError, kubexmError } from '../../../model/errors/index.ts';
import { itemsOf } from '../../cache/items.ts';
import type { Source, Supplied, SupplyIo } from '../../cache/types.ts';
import { type BlobStore, type Part, systemWords } from '../../oci/index.ts';
import { ArchiveProblem } from '../tar/header.ts';
import { type BundleIndex, blobPath, parseIndex } from './index-file.ts';

/** Something on disk that has items. */
export interface DiskPlace {
  readonly name: string;
  readonly path: string;
  /** Read once; throws ArchiveProblem, or what the file system says. */
  readonly index: () => Promise<string>;
  /** Before the first item is taken. */
  readonly checked?: (io: SupplyIo) => Promise<void>;
  /** How many bytes a blob has; undefined where it is not there. */
  readonly sizeOf: (blob: string) => Promise<number | undefined>;
  /** The bytes of a blob, from one of them on. */
  readonly read: (blob: string, from: number) => AsyncIterable<Uint8Array>;
}

/** A source that needs no network. */
export function diskSource(place: DiskPlace): Source {
  let opened: Promise<BundleIndex> | undefined;
  let sound: Promise<void> | undefined;
  const index = (): Promise<BundleIndex> => (opened ??= readIndex(place));
  const checkedOnce = async (io: SupplyIo): Promise<void> => {
    for (;;) {
      sound ??= place.checked?.(io);
      try {
        return await sound;
      } catch (error) {
        if (error instanceof KubexmError) throw error;
        // A job that was stopped has found nothing wrong: another job that waited with it checks by itself.
        sound = undefined;
        io.signal.throwIfAborted();
        if (!isAbort(error)) throw wrong(place, error);
      }
    }
  };
  return {
    name: place.name,
    vouches: 'user',
    key: async (job) => {
      // One that cannot be read is an answer too: asked for a file it says why.
      const found = await index().catch(() => undefined);
      return hashed([place.name, ...itemsOf(job).map(({ id }) => found?.get(id)?.sha256 ?? '')]);
    },
    outlook: async (job) => {
      try {
        const found = await index();
        const missing = itemsOf(job).filter(({ id }) => !found.has(id));
        if (missing.length === 0) return {};
        return { why: kubexmError('KX7076', { path: place.path, items: missing.map(({ id }) => id).join(', ') }) };
      } catch (error) {
        if (error instanceof KubexmError) return { why: error };
        throw error;
      }
    },
    get: async (job, store, io) => {
      const found = await index();
      const ids = itemsOf(job).map(({ id }) => id);
      const missing = ids.filter((id) => !found.has(id));
      if (missing.length > 0) throw kubexmError('KX7076', { path: place.path, items: missing.join(', ') });
      await checkedOnce(io);
      const items = new Map(ids.flatMap((id) => [[id, found.get(id)] as const]));
      const total = [...items.values()].reduce((sum, one) => sum + (one?.size ?? 0), 0);
      const got = new Map<string, Supplied>();
      let before = 0;
      for (const [id, one] of items) {
        if (one === undefined) continue;
        await take(place, id, one, store, io, (done) => io.progress(before + done, total));
        before += one.size;
        got.set(id, one);
      }
      return got;
    },
  };
}

async function take(
  place: DiskPlace,
  item: string,
  { sha256, size }: Supplied,
  store: BlobStore,
  io: SupplyIo,
  progress: (done: number) => void,
): Promise<void> {
  const digest = `sha256:${sha256}` as const;
  if (await store.verify(digest)) return progress(size);
  const { path } = place;
  const damaged = (reason: string, cause?: unknown) =>
    kubexmError('KX7077', { item, path, reason }, cause === undefined ? {} : { cause });
  await store.ingest(digest, io.signal, async (part) => {
    const blob = blobPath(sha256);
    const there = await place.sizeOf(blob);
    if (there === undefined) throw damaged('its bytes are not there');
    if (there !== size) throw damaged(`it has ${there} bytes, expected are ${size}`);
    const resumed = part.size > 0;
    if (part.size > size) await part.reset();
    await copy(place, blob, part, io.signal, progress, damaged);
    if (part.digest() !== digest && resumed) {
      // What had come earlier may have been wrong: once more from the start.
      await part.reset();
      await copy(place, blob, part, io.signal, progress, damaged);
    }
    const got = part.digest();
    if (got === digest) return;
    await part.reset();
    throw damaged(`its digest is ${got}, expected is ${digest}`);
  });
}

async function copy(
  place: DiskPlace,
  blob: string,
  part: Part,
  signal: AbortSignal,
  progress: (done: number) => void,
  damaged: (reason: string, cause: unknown) => KubexmError,
): Promise<void> {
  const chunks = place.read(blob, part.size)[Symbol.asyncIterator]();
  try {
    for (;;) {
      signal.throwIfAborted();
      // Only what reading says is about the bundle: what writing says is about the store.
      const { value, done } = await chunks.next().catch((error: unknown) => {
        throw damaged(reasonOf(error), error);
      });
      if (done === true) return;
      await part.append(value);
      progress(part.size);
    }
  } finally {
    await chunks.return?.();
  }
}

async function readIndex(place: DiskPlace): Promise<BundleIndex> {
  let text: string;
  try {
    text = await place.index();
  } catch (error) {
    throw wrong(place, error);
  }
  const index = parseIndex(text);
  if (typeof index === 'string') throw wrong(place, new ArchiveProblem(index));
  return index;
}

function wrong({ path }: DiskPlace, error: unknown): KubexmError {
  return kubexmError('KX7075', { path, reason: reasonOf(error) }, { cause: error });
}

function isAbort(error: unknown): boolean {
  return (error as { readonly name?: unknown }).name === 'AbortError';
}

function reasonOf(error: unknown): string {
  if (error instanceof ArchiveProblem) return error.message;
  return error instanceof Error ? systemWords(error) : String(error);
}

function hashed(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
