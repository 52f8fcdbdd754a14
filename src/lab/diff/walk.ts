import { createHash } from 'node:crypto';
import { createReadStream, type Dirent } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { kubexmError } from '../../model/errors/index.ts';
import { type FileEntry, type FileIndex, fileEntry, isRedirected } from './file-entry.ts';
import { type Attributes, attributesBelow, attributesOf } from './xattrs.ts';

/** Everything in a directory of the box, the directory too, under the paths at which the machine has it. */
export async function indexTree(dir: string, inside: string): Promise<FileIndex> {
  const attributes = await attributesBelow(dir);
  for (const [file, own] of attributes) {
    // Labs mount without these; to read them wrongly would be worse than not at all.
    if (isRedirected(own))
      throw kubexmError('KX6611', { what: file, reason: 'the overlay has redirect_dir or metacopy on' });
  }
  const index = new Map<string, FileEntry>();
  const visit = async (outer: string, path: string): Promise<void> => {
    const entry = await entryAt(outer, attributes);
    if (entry === undefined) return;
    index.set(path, entry);
    if (entry.type !== 'directory') return;
    for (const { name } of await entriesIn(outer)) await visit(join(outer, name), childOf(path, name));
  };
  await visit(dir, inside);
  return index;
}

/** The files that an image has at some paths. A link of the image is never followed: it would lead into the box. */
export async function filesAt(dir: string, paths: readonly string[]): Promise<FileIndex> {
  const isDirectory = directoryTest(dir);
  const present: (readonly [path: string, outer: string])[] = [];
  for (const path of paths) {
    const parent = path.slice(0, path.lastIndexOf('/')) || '/';
    if (path === '/' || (await isDirectory(parent))) present.push([path, join(dir, path)]);
  }
  const attributes = await attributesOf(present.map(([, outer]) => outer));
  const found = new Map<string, FileEntry>();
  for (const [path, outer] of present) {
    const entry = await entryAt(outer, attributes);
    if (entry !== undefined) found.set(path, entry);
  }
  return found;
}

/** All paths that an image has below a path, as the machine names them. */
export async function pathsBelow(dir: string, path: string): Promise<string[]> {
  if (!(await directoryTest(dir)(path))) return [];
  const found: string[] = [];
  const visit = async (at: string): Promise<void> => {
    for (const one of await entriesIn(join(dir, at))) {
      const child = childOf(at, one.name);
      found.push(child);
      if (one.isDirectory()) await visit(child);
    }
  };
  await visit(path);
  return found;
}

/** The SHA-256 of a file; undefined when it is gone. */
export async function digestOf(file: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  return orGone(async () => {
    await pipeline(createReadStream(file), hash);
    return hash.digest('hex');
  });
}

async function entryAt(outer: string, attributes: Attributes): Promise<FileEntry | undefined> {
  return orGone(async () => {
    const stat = await lstat(outer, { bigint: true });
    const target = stat.isSymbolicLink() ? await readlink(outer) : undefined;
    return fileEntry(stat, target, attributes.get(outer));
  });
}

async function entriesIn(outer: string): Promise<readonly Dirent[]> {
  return (await orGone(() => readdir(outer, { withFileTypes: true }))) ?? [];
}

/** Whether an image has a real directory at a path, all the way down to it. */
function directoryTest(dir: string): (path: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>([['/', Promise.resolve(true)]]);
  const test = (path: string): Promise<boolean> => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const parent = path.slice(0, path.lastIndexOf('/')) || '/';
    const answer = test(parent).then(
      async (below) => below && (await orGone(() => lstat(join(dir, path))))?.isDirectory() === true,
    );
    known.set(path, answer);
    return answer;
  };
  return test;
}

/** A living machine's files come and go: one that went meanwhile is not there. */
async function orGone<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function childOf(path: string, name: string): string {
  return path === '/' ? `/${name}` : `${path}/${name}`;
}
