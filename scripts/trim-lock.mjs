// Some registries mirror only the platforms their users have. npm then leaves the other platforms' optional packages out of the
// lock file, or names them without a digest, and `npm ci` refuses the file as out of sync. This takes their names out as well, so
// that the file installs everywhere and everything in it is verified. A platform comes back when its parent is locked again where
// a registry has it. Part of `npm run relock`.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(file, 'utf8'));
const left = new Set();

for (const [path, one] of Object.entries(lock.packages)) {
  if (one.optional && !one.integrity && !one.link) delete lock.packages[path];
}
for (const [path, parent] of Object.entries(lock.packages)) {
  for (const name of Object.keys(parent.optionalDependencies ?? {})) {
    if (isLocked(path, name)) continue;
    delete parent.optionalDependencies[name];
    left.add(name);
  }
}
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
const names = [...left].sort().map((name) => `\n  ${name}`);
console.log(`${left.size} optional packages left out: the registry does not have them${names.join('')}`);

/** Whether a package that another one names is in the file: in its own node_modules, or in one above. */
function isLocked(path, name) {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    if (lock.packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`]) return true;
    if (at === '') return false;
  }
}
