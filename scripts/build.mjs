// Bundles the command line (dist/kubexm.mjs) and the library (dist/index.mjs) into files that load only what they need.
import { chmodSync, copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from './bundle-options.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const stamp = join(dist, '.stamp');
const next = `${stamp}.${process.pid}`;
const DAY_MS = 24 * 60 * 60 * 1000;

mkdirSync(dist, { recursive: true });
// Made before the sources are read: what is edited meanwhile is newer than it, and is built the next time.
writeFileSync(next, '');

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'src/cli/main.ts',
    index: 'src/index.ts',
    'lab-repository': 'src/lab/nspawn/repository/main.ts',
  },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  chunkNames: 'chunk-[hash]',
  ...bundleOptions,
  splitting: true,
  metafile: true,
}).catch(() => process.exit(1));

// Node finds the named exports of a CommonJS package that is imported at run time, a bundle does not: there it has only a
// default export. A module of our own in between, with a plain import, works in both.
for (const [path, { imports }] of Object.entries(metafile.inputs)) {
  for (const one of imports) {
    if (one.kind !== 'dynamic-import' || metafile.inputs[one.path]?.format !== 'cjs') continue;
    process.stderr.write(
      `${path}: import('${one.original ?? one.path}') is of a CommonJS package: import a module that imports it\n`,
    );
    process.exitCode = 1;
  }
}

copyFileSync(join(root, 'scripts/bin.mjs'), join(dist, 'kubexm.mjs'));
chmodSync(join(dist, 'kubexm.mjs'), 0o755);

// Chunks of earlier builds stay for a day: a kubexm that is still running may load them yet.
const current = new Set(Object.keys(metafile.outputs).map((path) => basename(path)));
for (const name of readdirSync(dist)) {
  const path = join(dist, name);
  if (!name.startsWith('chunk-') || current.has(name) || Date.now() - statSync(path).mtimeMs < DAY_MS) continue;
  rmSync(path);
}
if (process.exitCode === undefined) renameSync(next, stamp);
