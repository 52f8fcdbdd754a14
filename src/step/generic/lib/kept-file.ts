import { readFileSync } from 'node:fs';
import { chmod, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../../../local/files.ts';
import { kubexmError } from '../../../model/errors/index.ts';
import type { Kept } from './kept.ts';
import { absolute, tempBeside } from './path.ts';
import { sha256 } from './write.ts';

/**
 * Writes a file of the work directory that nobody else may read: first whole and on disk under another name, then under its own.
 * No umask makes it wider or narrower, and what was there before is there until the new one is.
 */
export async function writeKept(path: string, text: string): Promise<Kept> {
  const fresh = tempBeside(absolute(path));
  await makePrivateDirectory(dirname(path));
  // What a killed run left has this name: it is taken away, never written to.
  await rm(fresh, { recursive: true, force: true });
  const file = await open(fresh, 'wx', 0o600);
  try {
    try {
      await file.chmod(0o600);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
  return { path, sha256: sha256(text) };
}

/** The text of a kept file. One that is not what a step gave any more is refused: nobody has looked at it. */
export function readKept({ path, sha256: digest }: Kept): string {
  const text = readFileSync(path, 'utf8');
  if (sha256(text) !== digest) throw kubexmError('KX5109', { path });
  return text;
}

/** Makes a directory that only its owner can enter, with those above it that are missing. One that is there becomes so. */
async function makePrivateDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      // One by one: with a hostile umask nobody could enter what was just made. Others may be making it too.
      await makePrivateDirectory(dirname(path));
      return await makePrivateDirectory(path);
    }
    if (code !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
    if (((await stat(path)).mode & 0o777) === 0o700) return;
  }
  await chmod(path, 0o700);
  await syncDirectory(dirname(path));
}
