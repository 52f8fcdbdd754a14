// Names what package-lock.json has for this machine and node_modules has not; exits with 1 where there is something. An npm that runs
// on an old Node leaves optional packages out that need a newer one, and says nothing.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const libc = process.report?.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';

const missing = Object.entries(packages)
  .filter(([path, one]) => path !== '' && isWanted(one) && !existsSync(join(root, path, 'package.json')))
  .map(([path]) => path.replace(/^.*node_modules\//, ''));
if (missing.length > 0) {
  console.error(`kubexm: packages that npm left out: ${missing.join(', ')}`);
  process.exitCode = 1;
}

/** Of optional packages only those that name this very platform: others belong to packages of other platforms. */
function isWanted(one) {
  if (!one.optional) return true;
  const here = [process.platform, process.arch, libc];
  const named = [one.os, one.cpu, one.libc].map((value) => (value === undefined ? [] : [value].flat()));
  if (named[0].length + named[1].length === 0) return false;
  return named.every((values, i) => values.length === 0 || values.includes(here[i]));
}
