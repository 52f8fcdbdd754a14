// Builds a program of the catalog from source, in a fresh machine, and prints its path: build-program.ts runc
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCatalog } from '../../../src/artifacts/catalog/read.ts';
import { goBuild } from '../../../src/artifacts/sources/go/index.ts';
import { ARCH, recipeJob } from '../../supply/go-recipe.ts';

const name = process.argv[2] ?? '';
const version = (await readCatalog()).components.get(name)?.kubernetes.at(-1)?.default ?? '';
const build = (await recipeJob(name, version, ARCH, [name])).builds[0];
if (build === undefined) throw new Error(`${name} is not built from source`);
const io = {
  signal: AbortSignal.timeout(20 * 60_000),
  env: process.env,
  progress: () => undefined,
  say: (text: unknown) => console.error(JSON.stringify(text)),
};
const dir = mkdtempSync(join(tmpdir(), 'build-'));
const built = await goBuild({ build, arch: ARCH, programs: [name] }, join(dir, 'out'), join(dir, 'cache'), io);
console.log(built[name]);
