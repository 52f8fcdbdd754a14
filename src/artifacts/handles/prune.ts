import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cache, digestOfHex, openCache } from '../cache/index.ts';

/** What was removed, or would be. */
export interface PruneReport {
  readonly files: number;
  readonly bytes: number;
  /** What stays, since a cluster uses it or it is just being got. */
  readonly kept: { readonly files: number; readonly bytes: number };
}

/** What is younger may be on its way into a cluster's directory. */
const AN_HOUR = 3_600_000;
/** Longer than a build may take: nothing in its directory need change all that time. */
const WORK_HOURS = 4 * AN_HOUR;

/**
 * Removes from the cache what no cluster uses any more: files that have no second name in any cluster's directory, and what
 * killed runs left half-way.
 */
export async function pruneArtifacts(
  cacheDir: string,
  options: { readonly dryRun: boolean; readonly olderThanMs?: number },
): Promise<PruneReport> {
  const cache = await openCache(cacheDir);
  const before = Date.now() - (options.olderThanMs ?? AN_HOUR);
  const removed = { files: 0, bytes: 0 };
  const kept = { files: 0, bytes: 0 };
  for (const path of [...(await blobsIn(cache)), ...(await childrenOf(join(cache.dir, 'ingest')))]) {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) continue;
    const into = found.nlink > 1 || found.mtimeMs > before ? kept : removed;
    into.files += 1;
    into.bytes += found.size;
    if (into === removed && !options.dryRun) await rm(path, { force: true });
  }
  if (!options.dryRun) {
    await sweep(cache, Date.now() - (options.olderThanMs ?? WORK_HOURS));
    for (const record of await cache.records()) {
      if ((await cache.store.sizeOf(digestOfHex(record.sha256))) === undefined) await cache.forget(record);
    }
  }
  return { ...removed, kept };
}

async function blobsIn(cache: Cache): Promise<readonly string[]> {
  const dirs = await childrenOf(join(cache.dir, 'blobs'));
  return (await Promise.all(dirs.map(childrenOf))).flat();
}

/** Directories in which killed runs unpacked or built, and notes that they did not finish. */
async function sweep(cache: Cache, before: number): Promise<void> {
  const notes = (await childrenOf(join(cache.dir, 'index'))).filter((path) => path.endsWith('.new'));
  for (const path of [...(await childrenOf(cache.workDir)), ...notes]) {
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs <= before) await rm(path, { recursive: true, force: true });
  }
}

async function childrenOf(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir).catch(() => []);
  return names.map((name) => join(dir, name));
}
