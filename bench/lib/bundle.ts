import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { inlineShell } from '../../scripts/inline-shell.mjs';
import { runProcess } from './process.ts';

/** The checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The library as users have it: what a program of the benchmarks imports from it is not bundled a second time. */
const builtLibrary: Plugin = {
  name: 'built-library',
  setup(one) {
    one.onResolve({ filter: /\/src\/index\.ts$/ }, () => ({ path: join(root, 'dist', 'index.mjs'), external: true }));
  },
};

// Packages in CommonJS expect these.
const banner = [
  "import { createRequire as benchRequire } from 'node:module';",
  'const require = benchRequire(import.meta.url);',
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join('\n');

/** Builds what users run: dist. */
export async function buildProgram(): Promise<void> {
  await runProcess(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root });
}

/** Bundles a program of the benchmarks, as the product is bundled. Returns the file to run. */
export async function bundle(name: string, into: string): Promise<string> {
  const out = join(into, 'bundles');
  mkdirSync(out, { recursive: true });
  await build({
    entryPoints: [join(root, 'bench', 'children', `${name}.ts`)],
    outfile: join(out, `${name}.mjs`),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    banner: { js: banner },
    external: ['cpu-features', '*.node'],
    plugins: [builtLibrary, inlineShell],
    logLevel: 'warning',
  });
  return join(out, `${name}.mjs`);
}
