import { chmod, copyFile, lstat, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../local/files.ts';
import { type Cache, digestOfHex, type Got } from '../cache/index.ts';

/** What a file was when its digest was last compared: as long as it is that, it need not be read again. */
export interface SeenFile {
  readonly sha256: string;
  /** `device:inode size mtime`, as `STAT` prints it. Not ctime: that changes when another cluster links the same file. */
  readonly stat: string;
}

/** The format for `stat -c` that gives what `statText` does. */
export const STAT = '%d:%i %s %.9Y';

/** Where the digests of a cluster's files are noted. */
export function seenFileOf(workDir: string): string {
  return join(workDir, 'artifacts.seen');
}

/** Reads notes: one line for each file. A line that is torn says nothing. */
export function parseSeen(text: string): ReadonlyMap<string, SeenFile> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const [path, sha256, stat] = line.split('\t');
      return path === undefined || sha256 === undefined || stat === undefined ? [] : [[path, { sha256, stat }]];
    }),
  );
}

/** Notes the digests of files that were just compared. The caller holds the guard of the cluster's artifacts. */
export async function noteSeen(workDir: string, files: ReadonlyMap<string, string>): Promise<void> {
  const file = seenFileOf(workDir);
  const before = parseSeen(await readFile(file, 'utf8').catch(() => ''));
  const after = new Map(before);
  for (const [path, sha256] of files) after.set(path, { sha256, stat: await statText(path) });
  const text = [...after].map(([path, seen]) => `${path}\t${seen.sha256}\t${seen.stat}\n`).sort();
  await replaceFile(file, text.join(''), { isNote: true });
}

/**
 * Gives an item of the cache its name in the cluster's directory: a second name of the same file where that is possible. The
 * caller holds the guard of the cluster's artifacts.
 */
export async function placeFile({ store }: Cache, got: Got, path: string, executable: boolean): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Always the same name: what a killed run leaves there, the next one takes away.
  const fresh = `${path}.new`;
  const digest = digestOfHex(got.sha256);
  await rm(fresh, { force: true });
  try {
    if (!(await store.linkTo(digest, fresh))) await copyFile(store.path(digest), fresh);
    if (executable) await chmod(fresh, 0o555);
    await rename(fresh, path);
  } finally {
    // Between two names of one file, rename does nothing.
    await rm(fresh, { force: true });
  }
}

/** What a file is now, as `stat -c` prints it with `STAT`. */
export async function statText(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs } = await lstat(path, { bigint: true });
  return `${dev}:${ino} ${size} ${seconds(mtimeNs)}`;
}

function seconds(nanoseconds: bigint): string {
  const digits = String(nanoseconds).padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}
