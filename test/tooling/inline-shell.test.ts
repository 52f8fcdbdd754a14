import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, expect, test } from 'vitest';
import { bundleOptions } from '../../scripts/bundle-options.mjs';
import { withShell } from '../../scripts/inline-shell.mjs';
import { libraryId } from '../../src/host/lib/index.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'kubexm-inline-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('a bundle has the scripts in it, the same as the sources have them', async () => {
  const outfile = join(dir, 'bundle.mjs');
  await build({
    ...bundleOptions,
    stdin: {
      contents: "import { libraryId } from './src/host/lib/index.ts'; console.log(libraryId);",
      resolveDir: REPOSITORY,
      loader: 'ts',
    },
    outfile,
  });
  const { stdout, stderr } = spawnSync(process.execPath, [outfile], { cwd: dir, encoding: 'utf8' });
  expect(`${stdout}${stderr}`).toBe(`${libraryId}\n`);
});

test('no module of the program looks for a script on disk once it is bundled', async () => {
  const { outputFiles } = await build({
    ...bundleOptions,
    absWorkingDir: REPOSITORY,
    entryPoints: ['src/cli/main.ts', 'src/index.ts', 'src/lab/nspawn/repository/main.ts'],
    outdir: dir,
    splitting: true,
    write: false,
  });
  const text = outputFiles.map((one) => one.text).join('\n');
  for (const name of globSync('src/**/*.sh', { cwd: REPOSITORY })) {
    const functions = readFileSync(join(REPOSITORY, name), 'utf8').match(/^\w+(?=\(\) )/gm) ?? [];
    for (const one of functions) expect(text, name).toContain(`${one}()`);
  }
  expect(text).not.toMatch(/new URL\([^()]*\.sh\b/);
});

test('a script that is not there, or that is named in another way, ends the build', () => {
  writeFileSync(join(dir, 'a.sh'), 'echo "$1"\n');
  const here = join(dir, 'a.ts');
  const named = (name: string) => `shellSource(new URL(${name}, import.meta.url))`;
  expect(withShell(here, named("'./a.sh'"))).toBe('shellSource({ text: "echo \\"$1\\"\\n" })');
  expect(() => withShell(here, named("'./b.sh'"))).toThrow('ENOENT');
  expect(() => withShell(here, named('`./a.sh`'))).toThrow('cannot be bundled');
});
