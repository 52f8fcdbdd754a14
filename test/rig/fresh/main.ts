// A machine that nobody has used, to try something in by hand; with --artifacts it sees the programs and images that are here:
//   npm run fresh -- debian-12 ./kubexm version
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshBase, freshCache, freshProblem, sharedArtifacts } from './base.ts';
import { copyCheckout, freshMachine } from './machine.ts';
import { VARIANTS } from './variants.ts';

const [name, ...rest] = process.argv.slice(2);
const withArtifacts = rest[0] === '--artifacts';
const words = withArtifacts ? rest.slice(1) : rest;
const variant = VARIANTS.find((one) => one.name === name);
const problem = freshProblem();

if (variant === undefined || words.length === 0 || problem !== undefined) {
  const names = VARIANTS.map((one) => one.name).join('|');
  console.error(problem ?? `usage: npm run fresh -- ${names} [--artifacts] <command …>`);
  process.exitCode = 2;
} else {
  const copies = withArtifacts ? sharedArtifacts() : {};
  await using machine = await freshMachine(await freshBase(variant), join(freshCache(), 'uses'), copies);
  copyCheckout(machine, fileURLToPath(new URL('../../..', import.meta.url)));
  const { code } = await machine.run(`cd /src && ${words.join(' ')}`, { say: (text) => process.stderr.write(text) });
  process.exitCode = code ?? 1;
}
