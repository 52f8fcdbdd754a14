import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { LockEntry, Voucher } from '../../model/artifact-lock.ts';
import type { PlanArtifacts } from '../../plan/layers.ts';
import {
  type Cache,
  digestOfHex,
  type Item,
  itemsOf,
  type Job,
  jobsOf,
  keyOf,
  type Source,
  whyUnbuilt,
} from '../cache/index.ts';
import { parseSeen, seenFileOf, statText } from './files.ts';
import { layoutPath } from './layout.ts';
import { sourcesText } from './sources.ts';
import { supplyFor } from './supply-for.ts';

/**
 * How far an artifact is. `ready`: in the cluster's directory. `cached`: had before, only to be given its name. `needed`: to be
 * got. `changed`: there, but not what it was. `absent`: no source has it and the cluster does without.
 */
export type ArtifactState = 'ready' | 'cached' | 'needed' | 'changed' | 'absent';

/** One artifact of a cluster. */
export interface ArtifactRow {
  readonly id: string;
  readonly component: string;
  readonly version: string;
  readonly arch: string | undefined;
  readonly kind: Item['kind'];
  readonly name: string;
  readonly size: number | undefined;
  readonly sha256: string | undefined;
  /** Where it came from, or the first source that offers it. */
  readonly source: string | undefined;
  /** Who says that it is the right file, as far as it is known. */
  readonly vouched: Voucher | undefined;
  readonly state: ArtifactState;
  /** Why no source offers it, where that is known. */
  readonly reason: string | undefined;
  readonly optional: boolean;
  /** The cluster has agreed on this very file. */
  readonly agreed: boolean;
  readonly path: string;
}

interface Known {
  readonly size?: number;
  readonly sha256?: string;
  readonly source?: string;
  readonly vouched?: Voucher;
  readonly state: ArtifactState;
}

/** What a cluster needs, and what of it is here. Nothing is fetched, and no file is read through. */
export async function artifactReport(
  artifacts: PlanArtifacts,
  workDir: string,
  secret: (field: string) => string | undefined,
): Promise<readonly ArtifactRow[]> {
  return await artifactRows(jobsOf(artifacts.needs), artifacts, workDir, secret);
}

/** The same for some jobs. */
export async function artifactRows(
  jobs: readonly Job[],
  artifacts: Omit<PlanArtifacts, 'needs'>,
  workDir: string,
  secret: (field: string) => string | undefined,
): Promise<readonly ArtifactRow[]> {
  const { cache, sources } = await supplyFor(artifacts, { secret });
  const seen = parseSeen(await readFile(seenFileOf(workDir), 'utf8').catch(() => ''));
  const asked = sourcesText(artifacts.sources);
  const rows: ArtifactRow[] = [];
  for (const job of jobs) {
    const items = itemsOf(job);
    // Only where a source would be asked: finding out what a build depends on starts compilers.
    const keys = items.every(({ id }) => isSettled(artifacts.lock[id], asked)) ? [] : await keysOf(job, sources);
    for (const item of items) {
      const path = layoutPath(workDir, job, item);
      const entry = artifacts.lock[item.id];
      const noted = seen.get(path);
      const there = noted !== undefined && noted.stat === (await statText(path).catch(() => undefined));
      const agreed = entry !== undefined && !('absent' in entry);
      const known: Known = agreed
        ? { ...entry, state: await stateOf(cache, entry, path, there && noted.sha256 === entry.sha256) }
        : isSettled(entry, asked)
          ? { state: 'absent' }
          : await inCache(cache, item, keys);
      const unknown = { size: undefined, sha256: undefined, source: undefined, vouched: undefined };
      const reason = known.source === undefined ? whyUnbuilt(job, sources) : undefined;
      rows.push({ ...describe(job, item), path, agreed, ...unknown, ...known, reason });
    }
  }
  return rows;
}

/** It is known what the cluster takes, or that none of these sources has it. */
function isSettled(entry: LockEntry | undefined, sources: string): boolean {
  return entry !== undefined && (!('absent' in entry) || entry.sources === sources);
}

/** Reads every file of a cluster through: what is not what the cluster has agreed on. */
export async function verifyArtifacts(
  rows: readonly ArtifactRow[],
  progress: (done: number, total: number) => void,
): Promise<readonly { readonly row: ArtifactRow; readonly found: 'good' | 'damaged' | 'missing' }[]> {
  const checked = rows.filter(({ agreed }) => agreed);
  const total = checked.reduce((sum, row) => sum + (row.size ?? 0), 0);
  const results = [];
  let done = 0;
  for (const row of checked) {
    const digest = await fileDigest(row.path, (bytes) => {
      done += bytes;
      progress(done, total);
    });
    const found = digest === undefined ? 'missing' : digest === row.sha256 ? 'good' : 'damaged';
    results.push({ row, found } as const);
  }
  return results;
}

function describe(job: Job, item: Item) {
  const { component, version, arch, optional } = job;
  return { id: item.id, component, version, arch, kind: item.kind, name: nameOf(job, item), optional };
}

function nameOf(job: Job, item: Item): string {
  return job.kind === 'image' ? job.image.upstream : item.name;
}

async function keysOf(job: Job, sources: readonly Source[]): Promise<readonly { source: string; key: string }[]> {
  const keys = await Promise.all(
    sources.map(async (source) => ({ source: source.name, key: await keyOf(source, job).catch(() => undefined) })),
  );
  return keys.flatMap(({ source, key }) => (key === undefined ? [] : [{ source, key }]));
}

/** What one of the sources gave before, or which one offers it. */
async function inCache(
  cache: Cache,
  item: Item,
  keys: readonly { readonly source: string; readonly key: string }[],
): Promise<Known> {
  for (const { source, key } of keys) {
    const record = await cache.find(item.id, source, key);
    if (record === undefined || (await cache.store.sizeOf(digestOfHex(record.sha256))) !== record.size) continue;
    const { size, sha256, vouched } = record;
    return { size, sha256, source, ...(vouched === undefined ? {} : { vouched }), state: 'cached' };
  }
  const first = keys[0]?.source;
  return { ...(first === undefined ? {} : { source: first }), state: 'needed' };
}

async function stateOf(
  cache: Cache,
  entry: { readonly sha256: string; readonly size: number },
  path: string,
  unchanged: boolean,
): Promise<ArtifactState> {
  if (unchanged) return 'ready';
  const there = await stat(path).then(
    () => true,
    () => false,
  );
  if (there) return 'changed';
  return (await cache.store.sizeOf(digestOfHex(entry.sha256))) === entry.size ? 'cached' : 'needed';
}

async function fileDigest(path: string, read: (bytes: number) => void): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
      hash.update(chunk as Buffer);
      read((chunk as Buffer).length);
    }
    return hash.digest('hex');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
