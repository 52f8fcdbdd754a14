import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type BlobStore, type Digest, locked, openBlobStore, writeError } from '../oci/index.ts';
import type { Supplied, SupplyIo } from './types.ts';

/** Where an item came from, and what it is. */
export interface IndexRecord extends Supplied {
  readonly id: string;
  readonly source: string;
  /** What the result depends on. */
  readonly key: string;
}

/** A caller that waits for another. */
export type Waiter = Pick<SupplyIo, 'signal' | 'say'>;

/** The files of all clusters by their digests, and what is known of where they came from. */
export interface Cache {
  readonly dir: string;
  readonly store: BlobStore;
  /** For whatever is unpacked or built on the way. */
  readonly workDir: string;
  find(id: string, source: string, key: string): Promise<IndexRecord | undefined>;
  note(record: IndexRecord): Promise<void>;
  records(): Promise<readonly IndexRecord[]>;
  forget(record: IndexRecord): Promise<void>;
  /** Runs the work while nobody else, here or in another process, does work of that name. `waiting` is reported where that takes time. */
  alone<T>(name: string, waiting: string, io: Waiter, work: () => Promise<T>): Promise<T>;
}

/** After so long one wants to know what is going on. */
const PATIENCE_MS = 1000;

/** Where artifacts are kept: `$KUBEXM_HOME`, else the XDG directory for caches. */
export function artifactCacheDir(env: Readonly<Record<string, string | undefined>>): string {
  const own = env['KUBEXM_HOME'];
  if (own) return join(own, 'cache', 'artifacts');
  return join(env['XDG_CACHE_HOME'] || join(env['HOME'] ?? homedir(), '.cache'), 'kubexm', 'artifacts');
}

/** Opens the cache, and makes its directories. */
export async function openCache(dir: string): Promise<Cache> {
  const store = await openBlobStore(dir);
  const [index, workDir, locks] = [join(dir, 'index'), join(dir, 'work'), join(dir, 'locks')];
  for (const path of [index, workDir]) await mkdir(path, { recursive: true });
  const fileOf = (id: string, source: string, key: string): string =>
    join(index, `${hashOf([id, source, key].join('\0'))}.json`);
  return {
    dir,
    store,
    workDir,
    async find(id, source, key) {
      const record = await readRecord(fileOf(id, source, key));
      return record?.id === id && record.key === key ? record : undefined;
    },
    async note(record) {
      const file = fileOf(record.id, record.source, record.key);
      const fresh = `${file}.${randomUUID()}.new`;
      try {
        await writeFile(fresh, `${JSON.stringify(record)}\n`);
        await rename(fresh, file);
      } catch (error) {
        await rm(fresh, { force: true });
        throw writeError(error, index);
      }
    },
    async records() {
      const names = (await readdir(index)).filter((name) => name.endsWith('.json'));
      const found = await Promise.all(names.map((name) => readRecord(join(index, name))));
      return found.flatMap((record) => (record === undefined ? [] : [record]));
    },
    forget: (record) => rm(fileOf(record.id, record.source, record.key), { force: true }),

    alone: (name, waiting, io, work) => waitingFor(join(locks, `work-${hashOf(name).slice(0, 24)}`), waiting, io, work),
  };
}

async function waitingFor<T>(file: string, waiting: string, io: Waiter, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => io.say(waiting), PATIENCE_MS);
  try {
    return await locked(file, io.signal, async () => {
      clearTimeout(timer);
      return await work();
    });
  } finally {
    clearTimeout(timer);
  }
}

/** The digest as the store names it. */
export function digestOfHex(sha256: string): Digest {
  return `sha256:${sha256}`;
}

/** A torn record is none: what it was about is got again. */
async function readRecord(file: string): Promise<IndexRecord | undefined> {
  try {
    const { id, source, key, sha256, size } = JSON.parse(await readFile(file, 'utf8')) as Partial<IndexRecord>;
    if (id === undefined || source === undefined || key === undefined || size === undefined) return undefined;
    return /^[0-9a-f]{64}$/.test(sha256 ?? '') ? { id, source, key, sha256: sha256 ?? '', size } : undefined;
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
