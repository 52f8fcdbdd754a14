import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIRECTORY = join('data', 'programs');

/** The sources of a program that kubexm carries: in `data` of the package, from the sources and from a bundle alike. */
export function ownSources(program: string): string {
  for (let dir = dirname(fileURLToPath(import.meta.url)); dir !== dirname(dir); dir = dirname(dir)) {
    if (existsSync(join(dir, DIRECTORY, program))) return join(dir, DIRECTORY, program);
  }
  return join(DIRECTORY, program);
}

/** A digest over the sources in a directory. */
export async function sourcesDigest(dir: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(dir)).sort()) hash.update(`${name}\0`).update(await readFile(join(dir, name)));
  return hash.digest('hex');
}
