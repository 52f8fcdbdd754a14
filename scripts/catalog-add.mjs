// Adds a version to a component of the catalog, in its place and checked:
//   node scripts/catalog-add.mjs containerd 2.3.5
//   node scripts/catalog-add.mjs flannel 0.29.0 cniPlugin=1.9.2-flannel1
//   node scripts/catalog-add.mjs cri-o 1.36.4 --default-for 1.36
import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const own = join(root, 'node_modules/.bin/node');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if ((major < 22 || (major === 22 && minor < 18)) && existsSync(own) && process.execPath !== own) {
  // The sources are TypeScript, which an older Node cannot read.
  process.exitCode = spawnSync(own, process.argv.slice(1), { stdio: 'inherit' }).status ?? 1;
} else await main();

async function main() {
  const { errorRemedy, KubexmError } = await import('../src/model/errors/index.ts');
  try {
    const { path, version } = await add();
    console.log(`${path}: ${version} added`);
  } catch (error) {
    const known = error instanceof KubexmError;
    const lines = known
      ? [`${error.code}: ${error.message}`, error.detail, errorRemedy(error.code, error.params, 'en')]
      : [];
    console.error(known ? lines.filter(Boolean).join('\n') : error.message);
    process.exitCode = 1;
  }
}

/** Nothing is written unless the whole catalog is valid with the new version. */
async function add() {
  const { addVersion, catalogDirectory, findComponent, parseCatalog, readCatalogTexts } = await import(
    '../src/artifacts/catalog/index.ts'
  );
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { 'default-for': { type: 'string', multiple: true }, directory: { type: 'string' } },
  });
  const [name, version, ...pairs] = positionals;
  if (name === undefined || version === undefined || pairs.some((pair) => !/^[^=]+=./.test(pair))) {
    throw new Error('usage: catalog-add.mjs <component> <version> [key=value …] [--default-for <minor>]');
  }
  const directory = values.directory ?? catalogDirectory();
  const texts = await readCatalogTexts(directory);
  findComponent(parseCatalog(texts), name);
  const file = `${name}.yaml`;
  const addition = {
    version,
    with: Object.fromEntries(pairs.map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)])),
    defaultFor: values['default-for'] ?? [],
  };
  const changed = texts.map((one) => (one.file === file ? { file, text: addVersion(file, one.text, addition) } : one));
  parseCatalog(changed);
  const path = join(directory, file);
  writeFileSync(`${path}.new`, changed.find((one) => one.file === file).text);
  renameSync(`${path}.new`, path);
  return { path, version };
}
