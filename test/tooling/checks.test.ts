import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const { layers } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  readonly layers: Record<string, string[]>;
};

let tree: string;
beforeEach(() => {
  tree = join(realpathSync(mkdtempSync(join(tmpdir(), 'kubexm-checks-'))), 'tree');
  mkdirSync(tree);
  for (const name of [
    'scripts',
    '.shellcheckrc',
    '.dependency-cruiser.cjs',
    'tsconfig.json',
    'package.json',
    'vitest.config.ts',
  ]) {
    cpSync(join(repository, name), join(tree, name), { recursive: true });
  }
  symlinkSync(join(repository, 'node_modules'), join(tree, 'node_modules'));
});
afterEach(() => rmSync(dirname(tree), { recursive: true, force: true }));

function put(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    writeFileSync(join(tree, name), text);
  }
}

function run(script: string, env: NodeJS.ProcessEnv = {}): { readonly code: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(tree, script)], {
    cwd: tree,
    env: { ...process.env, ...env },
  });
  return { code: status, text: `${stderr}${stdout}` };
}

/** Two files in every folder of the table, with as many imports. */
function everyLayer(): void {
  put({ 'src/index.ts': "export * from './model/b.ts';\n", 'src/model/c.ts': "export * from './b.ts';\n" });
  for (const folder of Object.keys(layers)) {
    const model =
      folder === 'model'
        ? 'export const x = 1;\n'
        : `export { x } from '${'../'.repeat(folder.split('/').length)}model/a.ts';\n`;
    put({ [`src/${folder}/a.ts`]: model, [`src/${folder}/b.ts`]: "export { x } from './a.ts';\n" });
  }
}

describe('check-layers', () => {
  it('is content with what the table allows', () => {
    everyLayer();
    put({
      'src/cli/ok.ts': "export * from '../index.ts';\nexport * as a from './b.ts';\n",
      'src/task/ok.ts': "export * from '../step/b.ts';\n",
      'src/step/ok.ts': "export * from './generic/b.ts';\nexport * as host from '../host/b.ts';\n",
      'src/step/generic/ok.ts': "import type * as host from '../../host/a.ts';\nexport type Host = typeof host;\n",
      'src/engine/ok.test.ts': "export * from '../connector/b.ts';\n",
      'src/connector/ok.ts': "export { Client } from 'ssh2';\n",
    });
    expect(run('scripts/check-layers.mjs')).toMatchObject({ code: 0, text: expect.stringContaining(' 0 problems') });
  });

  it('finds each way of crossing a layer', () => {
    everyLayer();
    const wrong: Readonly<Record<string, string>> = {
      'model/w.ts': '../plan/b.ts',
      'plan/w.ts': '../engine/b.ts',
      'connector/w.ts': '../host/b.ts',
      'host/w.ts': '../step/b.ts',
      'step/w.ts': '../task/b.ts',
      'step/generic/w.ts': '../b.ts',
      'task/w.ts': '../step/generic/b.ts',
      'module/w.ts': '../step/b.ts',
      'pipeline/w.ts': '../task/b.ts',
      'observe/w.ts': '../plan/b.ts',
      'config/w.ts': '../runtime/b.ts',
      'engine/w.ts': '../host/b.ts',
      'runtime/w.ts': '../pipeline/b.ts',
      'runtime/up.ts': '../index.ts',
      'cli/w.ts': '../engine/b.ts',
    };
    for (const [file, target] of Object.entries(wrong)) put({ [`src/${file}`]: `export * from '${target}';\n` });
    put({
      'src/step/generic/value.ts': "export * from '../../host/b.ts';\n",
      'src/engine/ssh.ts': "export { Client } from 'ssh2';\n",
      'src/plan/tool.ts': "export { build } from 'esbuild';\n",
      'src/plan/nowhere.ts': "export * from './not-there.ts';\n",
      'src/plan/one.ts': "import { two } from './two.ts';\nexport const one = () => two;\n",
      'src/plan/two.ts': "import { one } from './one.ts';\nexport const two = () => one;\n",
      'src/unheard-of/a.ts': 'export const x = 1;\n',
    });
    const { code, text } = run('scripts/check-layers.mjs');
    expect(code).toBe(1);
    for (const file of Object.keys(wrong)) expect(text).toContain(`src/${file} imports`);
    for (const found of [
      'src/step/generic/value.ts imports src/host/b.ts: layer-step/generic-types',
      'only-connector-uses-ssh2',
      'src/plan/tool.ts imports',
      'src/plan/nowhere.ts imports ./not-there.ts: resolvable',
      'no-circular',
      'src/unheard-of is in no layer',
    ]) {
      expect(text).toContain(found);
    }
  });

  it('is not content when it sees no imports', () => {
    for (let i = 0; i < 30; i++) put({ [`src/model/f${i}.ts`]: 'export const x = 1;\n' });
    expect(run('scripts/check-layers.mjs')).toMatchObject({
      code: 1,
      text: expect.stringContaining('that cannot be all'),
    });
  });
});

describe('check-text', () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`docs/${i}.md`, 'text\n']));

  it('is content with plain text', () => {
    put({
      ...many,
      'src/a.ts': 'x\n'.repeat(350),
      'docs/path.md': 'see https://www.npmjs.org/x and /root/.kube/config\n',
    });
    expect(run('scripts/check-text.mjs')).toEqual({ code: 0, text: expect.stringContaining(' 0 problems') });
  });

  it('finds what must not be there', () => {
    const note = `${'TO'}DO`;
    put({
      ...many,
      'src/long.ts': 'x\n'.repeat(351),
      'src/cast.ts': `const a = b as ${'any'};\n`,
      'docs/note.md': `one\n${note}: later\n`,
      'docs/path.md': `see ${tree}/src\n`,
      'docs/host.md': 'from packages.example.test\n',
      'docs/proxy.md': 'through proxy.example.test:3128\n',
    });
    const npmrc = join(dirname(tree), 'npmrc');
    writeFileSync(npmrc, 'registry=https://packages.example.test/npm/\n');
    const { code, text } = run('scripts/check-text.mjs', {
      NPM_CONFIG_USERCONFIG: npmrc,
      HTTPS_PROXY: 'http://user:pw@proxy.example.test:3128',
    });
    expect(code).toBe(1);
    for (const found of [
      'src/long.ts: 351 lines',
      'src/cast.ts:1: as ',
      `docs/note.md:2: a note to self (${note})`,
      'docs/path.md:1: a path of this machine',
      'docs/host.md:1: a package host',
      'docs/proxy.md:1: a package host',
    ]) {
      expect(text).toContain(found);
    }
  });

  it('is not content when it sees no files', () => {
    for (const name of readdirSync(join(tree, 'scripts'))) {
      if (name !== 'check-text.mjs') rmSync(join(tree, 'scripts', name), { recursive: true });
    }
    expect(run('scripts/check-text.mjs')).toMatchObject({
      code: 1,
      text: expect.stringContaining('that cannot be all'),
    });
  });
});

const noTools = ['shellcheck', 'shfmt'].some((name) => spawnSync(name, ['--version']).error !== undefined);
describe.skipIf(noTools)(`check-shell${noTools ? ' (needs the packages shellcheck and shfmt)' : ''}`, () => {
  const reads = (name: string) => `export const a = shellSource(new URL('./${name}', import.meta.url));\n`;
  const start = '# shellcheck shell=dash\n';

  it('is content with scripts that are read, laid out and without defects', () => {
    put({ 'src/host/a.sh': `${start}\nkx_a() {\n  local x="$1"\n  echo "$x"\n}\n`, 'src/host/a.ts': reads('a.sh') });
    expect(run('scripts/check-shell.mjs')).toEqual({ code: 0, text: 'shell: 2 scripts, 0 problems\n' });
  });

  it('finds defects, another layout, and scripts that nobody reads', () => {
    put({
      'src/host/quote.sh': `${start}\nkx_a() { echo $1; }\n`,
      'src/host/quote.ts': reads('quote.sh'),
      'src/host/layout.sh': `${start}\nkx_a() {\n    echo "$1"\n}\n`,
      'src/host/layout.ts': reads('layout.sh'),
      'src/host/leak.sh': `${start}\nkx_a() {\n  local one="a b" two=''\n  for two in $one; do three=$two; done\n  four=1 kx_b=2\n  read -r five\n}\n`,
      'src/host/leak.ts': reads('leak.sh'),
      'src/host/unread.sh': start,
      'src/host/shell.sh': 'kx_a() { :; }\n',
      'src/host/shell.ts': reads('shell.sh'),
      tool: '#!/bin/sh\necho $1\n',
    });
    const { code, text } = run('scripts/check-shell.mjs');
    expect(code).toBe(1);
    for (const found of [
      'In src/host/quote.sh line 3',
      'In tool line 2',
      '+++ src/host/layout.sh',
      'src/host/leak.sh:6: four is neither local nor a result',
      'src/host/leak.sh:7: five is neither local nor a result',
      'src/host/unread.sh: no module beside it reads it',
      'src/host/shell.sh: the first line is not # shellcheck shell=dash',
    ]) {
      expect(text).toContain(found);
    }
  });

  it('says what is missing where it cannot be installed', () => {
    put({ 'src/host/a.sh': start, 'src/host/a.ts': reads('a.sh') });
    const env = { PATH: '/nonexistent', KUBEXM_TEST_INSTALL: '0' };
    expect(run('scripts/check-shell.mjs', env)).toEqual({
      code: 1,
      text: expect.stringContaining('install the packages shellcheck and shfmt'),
    });
  });
});

describe('check-lock', () => {
  const digest = `sha512-${'a'.repeat(86)}==`;
  const packages = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`node_modules/p${i}`, { version: '1.0.0', integrity: digest }]),
  );
  const check = (entries: Readonly<Record<string, unknown>>) => {
    put({ 'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: { '': {}, ...entries } }) });
    return run('scripts/check-lock.mjs');
  };

  it('is content when every package has a digest', () => {
    expect(check(packages)).toEqual({ code: 0, text: 'lock file: 20 packages, 0 problems\n' });
    expect(check({ ...packages, 'node_modules/p1/node_modules/in': { inBundle: true } }).code).toBe(0);
  });

  it('finds a package without one, a weak one, and a link', () => {
    const { code, text } = check({
      ...packages,
      'node_modules/p1': { version: '1.0.0', optional: true, os: ['darwin'] },
      'node_modules/p2': { version: '1.0.0', integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' },
      'node_modules/p3': { link: true, resolved: '../elsewhere' },
    });
    expect(code).toBe(1);
    for (const found of ['p1: no sha512', 'p2: no sha512', 'p3: a link', '20 packages, 3 problems']) {
      expect(text).toContain(found);
    }
  });

  it('is not content when it sees no packages', () => {
    expect(check({})).toMatchObject({ code: 1, text: expect.stringContaining('that cannot be all') });
  });

  it('holds for the lock file of this repository', () => {
    cpSync(join(repository, 'package-lock.json'), join(tree, 'package-lock.json'));
    expect(run('scripts/check-lock.mjs')).toMatchObject({ code: 0 });
  });

  it('is content after trim-lock, which takes out packages without a digest and those who name them', () => {
    const optional = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '1.0.0']));
    const entries = {
      ...packages,
      'node_modules/tool': {
        version: '1.0.0',
        integrity: digest,
        optionalDependencies: optional('here', 'gone', 'own', 'none'),
      },
      'node_modules/here': { version: '1.0.0', integrity: digest, optional: true },
      'node_modules/gone': { version: '1.0.0', optional: true },
      'node_modules/tool/node_modules/own': { version: '1.0.0', integrity: digest, optional: true },
    };
    expect(check(entries).code).toBe(1);
    expect(run('scripts/trim-lock.mjs')).toMatchObject({
      code: 0,
      text: expect.stringContaining('2 optional packages'),
    });
    expect(run('scripts/check-lock.mjs').code).toBe(0);
    const after = JSON.parse(readFileSync(join(tree, 'package-lock.json'), 'utf8')).packages;
    expect(after['node_modules/tool'].optionalDependencies).toEqual(optional('here', 'own'));
    expect(Object.keys(after)).not.toContain('node_modules/gone');
  });
});

describe('packages', () => {
  it('run no scripts of their own, by whatever command they are installed', () => {
    const { stdout } = spawnSync('npm', ['config', 'get', 'ignore-scripts'], { cwd: repository });
    expect(stdout.toString().trim()).toBe('true');
  });
});

describe('run-tests', () => {
  const sources = {
    'src/cli/main.ts': "console.log('hi');\n",
    'src/index.ts': 'export {};\n',
    'src/lab/nspawn/repository/main.ts': 'export {};\n',
    'test/rig/programs-setup.ts': 'export const setup = () => undefined;\n',
    'test/rig/setup.ts': 'export {};\n',
  };
  const head = "import { describe, expect, it } from 'vitest';\n";

  function lastLine(files: Readonly<Record<string, string>>): readonly [number | null, string | undefined, string] {
    put({ ...sources, ...files });
    const { code, text } = run('scripts/run-tests.mjs', {
      KUBEXM_TEST_INSTALL: '0',
      NO_COLOR: '1',
      XDG_CACHE_HOME: join(tree, 'cache'),
    });
    return [code, text.trimEnd().split('\n').at(-1), text];
  }

  it('counts, and says what was skipped and why', () => {
    const [code, last, text] = lastLine({
      'src/a.test.ts': `${head}it('a', () => expect(1).toBe(1)); it('b', (context) => context.skip('needs a moon'));
        describe.skip('c (needs two suns)', () => { it('d', () => {}); });\n`,
    });
    expect([code, last]).toEqual([0, '1 passed, 0 failed, 2 skipped']);
    expect(text).toMatch(/skipped 1: needs a moon\n {2}src\/a.test.ts > b/);
    expect(text).toContain('skipped 1: needs two suns');
  });

  it('fails with a failed test, a broken file, a failed set-up, a lost rejection, a skip without a reason', () => {
    const [code, last, text] = lastLine({
      'src/a.test.ts': `${head}it('a', () => {}); it('b', () => expect(1).toBe(2)); it.skip('c', () => {});\n`,
      'src/b.test.ts': "import './not-there.ts';\n",
      'src/c.test.ts': `import { beforeAll, it } from 'vitest';\nbeforeAll(() => { throw new Error('no'); });\nit('d', () => {});\n`,
      'src/d.test.ts': `${head}it('e', () => { void Promise.reject(new Error('lost')); });\n`,
    });
    expect([code, last]).toEqual([1, '2 passed, 5 failed, 1 skipped']);
    expect(text).toContain('NO REASON GIVEN');
  });

  it('tries every case of a family once after a change of what it covers', { timeout: 900_000 }, () => {
    mkdirSync(join(tree, 'test/rig'), { recursive: true });
    cpSync(join(repository, 'test/rig/thorough.ts'), join(tree, 'test/rig/thorough.ts'));
    const family = (what: string) => ({
      'src/engine/a.ts': `export const a = '${what}';\n`,
      'src/engine/a.test.ts': `${head}import { some } from '../../test/rig/thorough.ts';\nimport { a } from './a.ts';
        for (const one of some([1, 2, 3, 4], 1)) it('case ' + one, () => expect(a).not.toBe('broken'));\n`,
    });
    const counted = (what: string) => lastLine(family(what))[1];
    expect(counted('first')).toBe('1 passed, 0 failed, 0 skipped');
    expect(counted('broken')).toBe('0 passed, 4 failed, 0 skipped');
    expect(counted('second')).toBe('4 passed, 0 failed, 0 skipped');
    expect(counted('second')).toBe('1 passed, 0 failed, 0 skipped');
  });

  it('fails without tests, and when the build fails', () => {
    expect(lastLine({}).slice(0, 2)).toEqual([1, '0 passed, 1 failed, 0 skipped']);
    expect(lastLine({ 'src/index.ts': 'no program(' }).slice(0, 2)).toEqual([1, '0 passed, 1 failed, 0 skipped']);
  });
});
