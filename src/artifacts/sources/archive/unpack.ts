import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { KubexmError, kubexmError } from '../../../model/errors/index.ts';
import type { Supplied } from '../../cache/types.ts';
import type { BlobStore, Digest } from '../../oci/index.ts';
import { ArchiveProblem } from '../tar/header.ts';
import { type Limits, untar } from '../tar/untar.ts';

/** More than any release has; less than what fills a disk unnoticed. */
const LIMITS: Limits = { members: 100_000, bytes: 8 * 1024 ** 3 };

/** An archive that is in the store, and the programs that are wanted of it: by name, and where they lie in it. */
export interface Unpacking {
  readonly file: string;
  readonly digest: Digest;
  readonly programs: Readonly<Record<string, string>>;
}

/** Puts programs of an archive (tar, plain or packed by gzip) into the store, each as a blob of its own. Nothing else is written. */
export async function unpack(
  store: BlobStore,
  { file, digest, programs }: Unpacking,
  signal: AbortSignal,
  limits: Limits = LIMITS,
): Promise<ReadonlyMap<string, Supplied>> {
  const names = Map.groupBy(Object.entries(programs), ([, path]) => path.replace(/^(?:\.\/)+/, ''));
  const found = new Map<string, Supplied>();
  try {
    await untar(opened(store.stream(digest)), limits, async (member, body) => {
      signal.throwIfAborted();
      const wanted = names.get(member.path);
      if (wanted === undefined) return;
      if (member.kind !== 'file') throw new ArchiveProblem(`${member.path} in it is no file`);
      const stored = await store.write(body);
      const one = { sha256: stored.digest.replace(/^sha256:/, ''), size: stored.size };
      for (const [name] of wanted) found.set(name, one);
    });
    const missing = Object.entries(programs).filter(([name]) => !found.has(name));
    if (missing.length > 0) throw new ArchiveProblem(`it has no ${missing.map(([, path]) => path).join(', ')}`);
  } catch (error) {
    signal.throwIfAborted();
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    throw kubexmError('KX7074', { file, reason }, { cause: error });
  }
  return found;
}

/** Unpacked if it begins as gzip does. */
async function* opened(source: AsyncGenerator<Buffer>): AsyncGenerator<Uint8Array> {
  const first = await source.next();
  if (first.done === true) return;
  const all = async function* () {
    yield first.value;
    yield* source;
  };
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) yield* all();
  // A failure of the source ends the unpacker with it, and so reaches the reader.
  else yield* pipeline(all, createGunzip({ chunkSize: 1 << 18 }), () => undefined) as AsyncIterable<Uint8Array>;
}

/** What is wrong with the archive; undefined where something else is wrong. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof ArchiveProblem) return error.message;
  if (error instanceof KubexmError) return undefined;
  const { code, message } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && code.startsWith('Z_') ? `it cannot be unpacked by gzip: ${message}` : undefined;
}
