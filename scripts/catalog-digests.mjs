// Fills data/catalog/digests.json with the digests that the projects publish, wherever they answer:
//   node scripts/catalog-digests.mjs                    # all that are not known yet
//   node scripts/catalog-digests.mjs etcd runc          # of some components
//   node scripts/catalog-digests.mjs --all              # ask again for those that are known, and compare
//   node scripts/catalog-digests.mjs --ca-file ca.pem   # trust a private authority too
// Only the projects' own servers are asked, over TLS. A digest that is known is never replaced: that a project publishes another one
// for the same version is an error, and a person must look at it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ABOUT =
  'Digests that the projects publish, by component, version, file and processor. Made by scripts/catalog-digests.mjs; never typed by hand.';
const PARALLEL = 8;
const SECONDS = 20;

const root = fileURLToPath(new URL('..', import.meta.url));
const own = join(root, 'node_modules/.bin/node');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if ((major < 22 || (major === 22 && minor < 18)) && existsSync(own) && process.execPath !== own) {
  // The sources are TypeScript, which an older Node cannot read.
  process.exitCode = spawnSync(own, process.argv.slice(1), { stdio: 'inherit' }).status ?? 1;
} else await main();

async function main() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { all: { type: 'boolean' }, directory: { type: 'string' }, 'ca-file': { type: 'string' } },
  });
  try {
    process.exitCode = await fill(positionals, values);
  } catch (error) {
    console.error(error.detail === undefined ? error.message : `${error.message}\n${error.detail}`);
    process.exitCode = 1;
  }
}

async function fill(names, values) {
  const { catalogDirectory, digestsText, findComponent, publishedFiles, readCatalog } = await import(
    '../src/artifacts/catalog/index.ts'
  );
  const directory = values.directory ?? catalogDirectory();
  const catalog = await readCatalog(directory);
  const components =
    names.length === 0 ? [...catalog.components.values()] : names.map((name) => findComponent(catalog, name));
  const files = components.flatMap((component) => publishedFiles(catalog, component));
  const asked = files.filter(({ need }) => values.all === true || need.digest === undefined);
  const { found, silent, refused } = await askAll(asked, values['ca-file']);
  const other = found.filter(({ need, digest }) => need.digest !== undefined && need.digest !== digest);
  const fresh = found.filter(({ need }) => need.digest === undefined);
  const path = join(directory, 'digests.json');
  writeFileSync(`${path}.new`, digestsText(catalog, ABOUT, fresh));
  renameSync(`${path}.new`, path);
  for (const { component, version, need, digest } of other) {
    console.error(`${component} ${version}: the project says ${digest} of ${need.url}, the catalog has ${need.digest}`);
  }
  for (const line of [...refused, ...silent]) console.error(line);
  console.log(
    `${fresh.length} digests added, ${files.length - asked.length} known, ${asked.length - found.length} not found`,
  );
  return other.length + refused.length === 0 ? 0 : 1;
}

/** Asks for all checksums. An origin that does not answer is asked once. */
async function askAll(files, caFile) {
  const { Connections } = await import('../src/http/connections.ts');
  const { asHttpFailure } = await import('../src/http/failure.ts');
  const { proxyFor } = await import('../src/http/proxy.ts');
  const { Reach } = await import('../src/artifacts/sources/web/reach.ts');
  const { UNTRUSTED } = await import('../src/artifacts/sources/untrusted.ts');
  const way = {
    ca: caFile === undefined ? undefined : readFileSync(caFile, 'utf8'),
    proxyFor: (url) => proxyFor(url, process.env),
  };
  const { signal } = new AbortController();
  const reach = new Reach(SECONDS);
  const connections = new Connections({ ...way, stallSeconds: SECONDS });
  const [found, silent, refused] = [[], new Set(), new Set()];
  const queue = [...files];
  const work = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const url = new URL(file.need.checksum.url);
      const why = await reach.whyNot(url, way, signal);
      if (why !== undefined) {
        (UNTRUSTED.includes(why.code) ? refused : silent).add(why.message);
        continue;
      }
      try {
        found.push({ ...file, digest: await digestOf(url, file.need.file, { connections, signal }) });
      } catch (error) {
        const { trouble, message } = asHttpFailure(error);
        (trouble === 'certificate' ? refused : silent).add(
          `${file.component} ${file.version}: ${url.href}: ${message}`,
        );
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: PARALLEL }, work));
  } finally {
    connections.close();
  }
  return { found, silent: [...silent].sort(), refused: [...refused].sort() };
}

async function digestOf(url, name, { connections, signal }) {
  const { fetchChecksum } = await import('../src/http/checksums.ts');
  const { asHttpFailure } = await import('../src/http/failure.ts');
  const { withRetries } = await import('../src/http/retry.ts');
  const options = { connections, signal, stallSeconds: SECONDS, keepHttps: true };
  const patience = { attempts: 3, delaySeconds: 1 };
  const { algorithm, hex } = await withRetries(
    patience,
    signal,
    () => fetchChecksum(url, [name], options),
    asHttpFailure,
  );
  return `${algorithm}:${hex}`;
}
