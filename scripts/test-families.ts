// A plain run tries some cases of every family (test/rig/thorough.ts). A defect may hide in the others: once the files that a
// family covers have changed, a run of all tests tries every case of it, until they have passed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { testProjects } from './test-projects.ts';

const RIG = 'test/rig/thorough.ts';

/** Families, by their test file, and what names their files as they are now. */
export type Families = ReadonlyMap<string, string>;

/** Those of this checkout that a run of all tests can try in full: not those that take hours, or build programs of others. */
export function families(
  root: string,
  projects: Readonly<Record<string, readonly string[]>> = testProjects(),
): Families {
  const { build: _build, lab: _lab, ...others } = projects;
  const found = new Map<string, string>();
  for (const file of Object.values(others).flat().toSorted()) {
    const covered = covers(root, file);
    if (covered.includes(RIG)) found.set(file, digestOf(root, covered));
  }
  return found;
}

/** The test file, what it uses of `test`, and the folders of `src` that these import from. */
export function covers(root: string, testFile: string): readonly string[] {
  const seen = new Set<string>();
  const folders = new Set<string>();
  const follow = (file: string): void => {
    if (seen.has(file) || !existsSync(join(root, file))) return;
    seen.add(file);
    if (file.startsWith('src/')) folders.add(dirname(file));
    if (file !== testFile && file.startsWith('src/')) return;
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g))
      follow(relative(root, join(root, dirname(file), name)));
  };
  follow(testFile);
  for (const folder of folders)
    for (const name of readdirSync(join(root, folder)))
      if (/\.(ts|sh)$/.test(name) && !name.endsWith('.test.ts')) seen.add(join(folder, name));
  return [...seen].toSorted();
}

function digestOf(root: string, files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}

/** What was tried in full on this machine, in the user's cache: an empty file for every digest. */
export class TriedFamilies {
  readonly #dir: string;
  /** Nothing was ever tried here: who only wants to see the tests pass has changed nothing. */
  readonly isNew: boolean;

  constructor(cache: string) {
    this.#dir = join(cache, 'kubexm', 'test-families');
    this.isNew = !existsSync(this.#dir);
  }

  /** Those whose files have changed since. */
  changed(all: Families): readonly string[] {
    if (this.isNew) return [];
    return [...all].filter(([, digest]) => !existsSync(join(this.#dir, digest))).map(([file]) => file);
  }

  /** These have passed in full; or, if nothing was ever tried, they are the baseline for changes. */
  record(all: Families, passed: readonly string[]): void {
    mkdirSync(this.#dir, { recursive: true });
    for (const file of passed) {
      const digest = all.get(file);
      if (digest !== undefined) writeFileSync(join(this.#dir, digest), `${file}\n`);
    }
  }
}
