import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { bundleOptions } from '../../scripts/bundle-options.mjs';

test('the library of certificates is loaded only when one is made', async () => {
  const { metafile } = await build({
    absWorkingDir: process.cwd(),
    entryPoints: { main: 'src/cli/main.ts', index: 'src/index.ts' },
    outdir: 'dist',
    ...bundleOptions,
    splitting: true,
    metafile: true,
    write: false,
  });
  const { outputs } = metafile;
  const withLibrary = Object.keys(outputs).filter((path) =>
    Object.keys(outputs[path]?.inputs ?? {}).some((input) => /node_modules\/(pkijs|asn1js)\//.test(input)),
  );
  expect(withLibrary).not.toEqual([]);
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const one of outputs[path]?.imports ?? []) if (one.kind === 'import-statement') load(one.path);
  };
  load('dist/main.js');
  load('dist/index.js');
  expect(loaded.size).toBeGreaterThan(2);
  expect(withLibrary.filter((path) => loaded.has(path))).toEqual([]);
});
