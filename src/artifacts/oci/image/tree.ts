import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { kubexmError } from '../../../model/errors/index.ts';
import type { TarEntry } from '../content/tar.ts';

/** One thing to put into an image. Paths are those inside it; a leading slash makes no difference. */
export type TreeItem =
  | { readonly path: string; readonly file: string; readonly mode?: number }
  | { readonly path: string; readonly data: Uint8Array | string; readonly mode?: number }
  | { readonly path: string; readonly link: string }
  | { readonly path: string; readonly directory: true; readonly mode?: number }
  /** A directory of this machine with all that is in it; `keepModes` keeps its rights as they are, else only “executable”. */
  | { readonly path: string; readonly tree: string; readonly keepModes?: boolean };

/** Lays items out as members of an archive, with the directories they need. Where they come from leaves no trace. */
export async function layOut(items: readonly TreeItem[]): Promise<readonly TarEntry[]> {
  const entries = new Map<string, TarEntry>();
  const implied = new Set<string>();
  for (const item of items) {
    for (const entry of await entriesOf(item)) {
      // The root itself is not a member.
      if (entry.path === '') continue;
      const there = entries.get(entry.path);
      const bothDirectories = there?.content.kind === 'directory' && entry.content.kind === 'directory';
      if (there !== undefined && !bothDirectories) {
        throw kubexmError('KX7123', { path: entry.path, reason: 'it is there twice' });
      }
      entries.set(entry.path, entry);
    }
  }
  for (const path of entries.keys()) for (const parent of parentsOf(path)) implied.add(parent);
  for (const path of implied) {
    const there = entries.get(path);
    if (there === undefined) entries.set(path, { path, mode: 0o755, content: { kind: 'directory' } });
    else if (there.content.kind !== 'directory') {
      throw kubexmError('KX7123', { path, reason: 'something is to lie below it, but it is no directory' });
    }
  }
  return [...entries.values()];
}

async function entriesOf(item: TreeItem): Promise<readonly TarEntry[]> {
  const path = inside(item.path);
  if ('file' in item) return [await fileEntry(path, item.file, item.mode)];
  if ('link' in item) return [{ path, mode: 0o777, content: { kind: 'link', target: item.link } }];
  if ('directory' in item) return [{ path, mode: item.mode ?? 0o755, content: { kind: 'directory' } }];
  if ('tree' in item) return await scan(item.tree, path, item.keepModes ?? false);
  const data = Buffer.from(item.data);
  const read = async function* () {
    yield data;
  };
  return [{ path, mode: item.mode ?? 0o644, content: { kind: 'file', size: data.length, read } }];
}

async function fileEntry(path: string, file: string, mode: number | undefined): Promise<TarEntry> {
  const found = await stat(file).catch((error: unknown) => {
    throw kubexmError('KX7123', { path: file, reason: (error as NodeJS.ErrnoException).code ?? 'it cannot be read' });
  });
  if (!found.isFile()) throw kubexmError('KX7123', { path: file, reason: 'it is no file' });
  return fileOf(path, file, found.size, mode ?? plainMode(found.mode));
}

async function scan(dir: string, path: string, keepModes: boolean): Promise<readonly TarEntry[]> {
  const found = await lstat(dir).catch((error: unknown) => {
    throw kubexmError('KX7123', { path: dir, reason: (error as NodeJS.ErrnoException).code ?? 'it cannot be read' });
  });
  const mode = keepModes ? found.mode & 0o7777 : plainMode(found.mode);
  if (found.isSymbolicLink()) {
    return [{ path, mode: 0o777, content: { kind: 'link', target: await readlink(dir) } }];
  }
  if (found.isFile()) return [fileOf(path, dir, found.size, mode)];
  if (!found.isDirectory()) {
    throw kubexmError('KX7123', { path: dir, reason: 'it is neither a file, a directory nor a symbolic link' });
  }
  const directory: TarEntry = { path, mode: keepModes ? mode : 0o755, content: { kind: 'directory' } };
  const below: TarEntry[] = [];
  for (const name of await readdir(dir)) {
    below.push(...(await scan(join(dir, name), path === '' ? name : `${path}/${name}`, keepModes)));
  }
  return [directory, ...below];
}

function fileOf(path: string, file: string, size: number, mode: number): TarEntry {
  const read = () => createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>;
  return { path, mode, content: { kind: 'file', size, read } };
}

/** Not what the umask of some machine made of it. */
function plainMode(mode: number): number {
  return (mode & 0o111) === 0 ? 0o644 : 0o755;
}

function inside(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..') || path.includes('\0')) {
    throw kubexmError('KX7123', { path, reason: 'it would lie outside the image' });
  }
  return parts.join('/');
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join('/'));
}
