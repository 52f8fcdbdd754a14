import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fetchChecksum } from '../../../http/checksums.ts';
import { FilePart } from '../../../http/file-part.ts';
import { type OnBytes, transfer } from '../../../http/transfer.ts';
import type { Voucher } from '../../../model/artifact-lock.ts';
import type { FileNeed } from '../../../model/catalog/need.ts';
import { KubexmError, kubexmError } from '../../../model/errors/index.ts';
import type { Supplied } from '../../cache/types.ts';
import { type BlobStore, type Digest, locked, type Part, writeError } from '../../oci/index.ts';
import { unpack } from '../archive/unpack.ts';
import { asking, atFirst, isPlain, refusePlain, type Web, WrongContent } from './web.ts';

/** Whose a server is: the project's own, or somebody's who copies. */
export type Owner = 'upstream' | 'mirror';

/** An address, and whose it is. */
export interface Place {
  readonly url: URL;
  readonly of: Owner;
}

/** Where a file and its checksum are, best first. */
export interface Places {
  readonly urls: readonly Place[];
  /** Empty: its project publishes none. */
  readonly checksums: readonly Place[];
}

/** An address of somebody's. */
export function placeAt(address: string, of: Owner): Place {
  return { url: new URL(address), of };
}

/** A digest that is known before the file is, and who says so. */
interface Known {
  readonly digest: Digest;
  readonly vouched: Voucher;
}

/** What is done with a file on the way. */
export interface Fetching {
  readonly web: Web;
  readonly store: BlobStore;
  readonly progress: OnBytes;
  readonly say: (text: string) => void;
}

/** A try that brought so much was worth it: the next ones are not counted from before. */
const GOT_ON = 1024 * 1024;

/**
 * Brings a file into the store; an archive as the programs that are wanted of it. By their names. Who comes while another
 * process does the same waits, and has what that one got.
 */
export async function fetchFile(at: Fetching, need: FileNeed, places: Places): Promise<ReadonlyMap<string, Supplied>> {
  const { store, web } = at;
  // By its addresses too: another source may have another file under this name.
  const from = [places.urls, places.checksums].map((some) => some.map(addressOf).join(' '));
  const key = `file-${hashOf([need.url, need.checksum?.url ?? '', need.digest ?? '', ...from])}`;
  const note = join(store.dir, 'ingest', `${key}.done`);
  const came = Date.now();
  return await locked(join(store.dir, 'locks', key), web.signal, async () => {
    const done = await finishedSince(note, came, namesOf(need), store);
    if (done !== undefined) return done;
    const known = catalogDigest(need) ?? (await publishedDigest(web, need, places));
    const got = known ?? (await pinned(at, need, places.urls, join(store.dir, 'ingest', key)));
    if (known !== undefined) await checked(at, need, places.urls, known.digest);
    const files = new Map(
      [...(await taken(at, need, got.digest))].map(([name, one]) => [name, { ...one, vouched: got.vouched }]),
    );
    await writeFile(note, JSON.stringify([...files]));
    return files;
  });
}

/** What the project publishes, as kubexm knows it: no server can say anything else. */
function catalogDigest({ digest }: FileNeed): Known | undefined {
  return digest === undefined ? undefined : { digest, vouched: 'catalog' };
}

/** The digest that vouches for a file. Where one is published it must be had: nobody goes on without. */
async function publishedDigest(web: Web, need: FileNeed, { checksums, urls }: Places): Promise<Known | undefined> {
  if (checksums.length === 0) return undefined;
  const names = [...new Set([need.file, ...urls.map(({ url }) => basename(decodeURIComponent(url.pathname)))])];
  try {
    const { value, url } = await atFirst(web, urlsOf(checksums), need.file, async (from) => {
      refusePlain(web, from, need.file);
      return await fetchChecksum(from, names, asking(web, false));
    });
    return { digest: `${value.algorithm}:${value.hex}`, vouched: vouching(checksums, url) };
  } catch (error) {
    if (!(error instanceof KubexmError) || error.code !== 'KX7072') throw error;
    const { host = '', reason = '' } = error.params;
    throw kubexmError('KX7080', { file: need.file, host, reason }, { cause: error, detail: error.detail ?? '' });
  }
}

/** A file whose digest is known: it may go on at another address, and after another process. */
async function checked(at: Fetching, need: FileNeed, places: readonly Place[], digest: Digest): Promise<void> {
  const { store, web, progress } = at;
  // Read, not only looked for: a damaged one is fetched again.
  if (await store.verify(digest)) return;
  await store.ingest(digest, web.signal, async (part) => {
    await atFirst(web, urlsOf(places), need.file, async (url, gotOn) => {
      const had = part.size;
      at.say(`fetching ${need.file}`);
      try {
        await rest(web, url, part, digest, progress);
      } finally {
        if (part.size - had >= GOT_ON) gotOn();
      }
    });
  });
}

async function rest(web: Web, url: URL, part: Part, digest: Digest, progress: OnBytes): Promise<void> {
  // All of it had come, and the process ended before the blob got its name.
  if (part.size > 0 && part.digest() === digest) return;
  let resumed = false;
  const begun = async () => {
    resumed = part.size > 0;
  };
  await transfer(url, part, { checked: true }, asking(web, true), progress, { begun });
  const got = part.digest();
  if (got === digest) return;
  await part.reset();
  // What had come earlier may have been of another file: once more from the start.
  throw new WrongContent(got, digest, resumed);
}

/** A file for which nobody vouches but the address. It goes on only where the server says that it is still the same. */
async function pinned(at: Fetching, need: FileNeed, places: readonly Place[], path: string): Promise<Known> {
  const { store, web, progress } = at;
  try {
    const part = await FilePart.open(path, ['sha256']);
    try {
      const { url: from } = await atFirst(web, urlsOf(places), need.file, async (url, gotOn) => {
        refusePlain(web, url, need.file);
        const validator = part.validatorFrom(url);
        if (validator === undefined) await part.reset();
        at.say(`fetching ${need.file}`);
        const had = part.size;
        const wasBytes = part.totalFrom(url);
        try {
          await transfer(url, part, { checked: false, wasBytes }, asking(web, false), progress, {
            validator,
            begun: (answer, total) => part.belongsTo(url, answer, total),
          });
        } finally {
          if (part.size - had >= GOT_ON) gotOn();
        }
      });
      const want: Digest = `sha256:${part.hex('sha256')}`;
      const { digest } = await store.write(createReadStream(part.file));
      if (digest !== want) throw kubexmError('KX7121', { digest: want, store: store.dir });
      await part.drop();
      return { digest, vouched: vouching(places, from) };
    } finally {
      if (part.size === 0) await part.drop();
      await part.close();
    }
  } catch (error) {
    throw writeError(error, path);
  }
}

/** An address without its password. */
export function addressOf({ url }: Place): string {
  return `${url.origin}${url.pathname}${url.search}`;
}

function urlsOf(places: readonly Place[]): readonly URL[] {
  return places.map(({ url }) => url);
}

/** Who vouches for what came from an address. */
function vouching(places: readonly Place[], from: URL): Voucher {
  return isPlain(from) ? 'nobody' : (places.find(({ url }) => url === from)?.of ?? 'mirror');
}

/** What is wanted of a file that is in the store, by name. */
async function taken(at: Fetching, need: FileNeed, digest: Digest): Promise<ReadonlyMap<string, Supplied>> {
  const { store, web } = at;
  const { file, programs, kind } = need;
  if (kind === 'archive' && Object.keys(programs).length > 0) {
    at.say(`unpacking ${file}`);
    const files = await unpack(store, { file, digest, programs }, web.signal);
    // Its programs are what is needed; the archive would only take their space once more.
    if (![...files.values()].some(({ sha256 }) => digest === `sha256:${sha256}`)) await store.remove(digest);
    return files;
  }
  const one = await bySha256(store, digest);
  return new Map(namesOf(need).map((name) => [name, one]));
}

/** What a file is known by: its programs, or itself. */
function namesOf({ file, programs }: FileNeed): readonly string[] {
  const names = Object.keys(programs);
  return names.length > 0 ? names : [file];
}

/** Projects may publish a sha512; items are known by their sha256. */
async function bySha256(store: BlobStore, digest: Digest): Promise<Supplied> {
  if (digest.startsWith('sha256:')) {
    const size = await store.sizeOf(digest);
    if (size === undefined) throw kubexmError('KX7120', { digest, store: store.dir });
    return { sha256: digest.slice('sha256:'.length), size };
  }
  const stored = await store.write(store.stream(digest));
  await store.remove(digest);
  return { sha256: stored.digest.slice('sha256:'.length), size: stored.size };
}

/** What another process got while this one waited for it. An older note says nothing: somebody has asked again. */
async function finishedSince(
  note: string,
  since: number,
  names: readonly string[],
  store: BlobStore,
): Promise<ReadonlyMap<string, Supplied> | undefined> {
  try {
    // Whole milliseconds: what was written in the very one we began in may be older.
    if ((await stat(note)).mtimeMs < since + 1) return undefined;
    const files = new Map(JSON.parse(await readFile(note, 'utf8')) as [string, Supplied][]);
    if (names.some((name) => !files.has(name))) return undefined;
    for (const { sha256, size } of files.values()) {
      if ((await store.sizeOf(`sha256:${sha256}`)) !== size) return undefined;
    }
    return files;
  } catch {
    return undefined;
  }
}

function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
