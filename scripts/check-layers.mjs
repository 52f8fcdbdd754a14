// Checks who imports whom (.dependency-cruiser.cjs), and that the checker really saw the modules: with a TypeScript it cannot
// use it sees none and is content.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const { layers, forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');

const files = readdirSync('src', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));

const problems = [];

const named = Object.keys(layers).map((folder) => `src/${folder}/`);
const inNone = files.filter((file) => file.split('/').length > 2 && !named.some((folder) => file.startsWith(folder)));
for (const folder of new Set(inNone.map((file) => file.split('/').slice(0, -1).join('/')))) {
  problems.push(`${folder} is in no layer: name it in .dependency-cruiser.cjs`);
}

const { output } = await cruise(
  ['src'],
  { ...options, ruleSet: { forbidden }, validate: true },
  {},
  { tsConfig: extractTSConfig('tsconfig.json') },
);

const seen = new Map(output.modules.map((module) => [module.source, module]));
const unseen = files.filter((file) => !seen.has(file));
if (unseen.length > 0) problems.push(`these were not seen: ${unseen.join(', ')}`);
const inside = files
  .flatMap((file) => seen.get(file)?.dependencies ?? [])
  .filter((one) => one.resolved.startsWith('src/'));
if (files.length < 20 || inside.length < files.length) {
  problems.push(`only ${inside.length} imports were seen in ${files.length} files: that cannot be all`);
}
for (const { from, to, rule } of output.summary.violations) {
  const { comment } = forbidden.find((one) => one.name === rule.name) ?? {};
  problems.push(`${from} imports ${to}: ${rule.name}: ${comment}`);
}

for (const problem of problems) console.error(problem);
console.log(`layers: ${files.length} files, ${inside.length} imports among them, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
