import { spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const NOBODY = 65534;

let dir: string;
let checkout: string;
let tools: string;

/** A checkout with a small program in place of kubexm, a PATH of chosen programs, and an npm that only makes links. */
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'kubexm launcher ')));
  chmodSync(dir, 0o755);
  checkout = join(dir, 'check out');
  mkdirSync(join(checkout, 'src/cli'), { recursive: true });
  mkdirSync(join(checkout, 'scripts'));
  for (const name of [
    'kubexm',
    'package.json',
    'package-lock.json',
    'scripts/build.mjs',
    'scripts/bundle-options.mjs',
    'scripts/bin.mjs',
  ]) {
    cpSync(join(repository, name), join(checkout, name));
  }
  writeFileSync(join(checkout, 'src/index.ts'), 'export const answer: number = 42;\n');
  mkdirSync(join(checkout, 'src/lab/nspawn/repository'), { recursive: true });
  writeFileSync(join(checkout, 'src/lab/nspawn/repository/main.ts'), 'export {};\n');
  program('first');
  tools = join(dir, 'tools');
  mkdirSync(tools);
  for (const name of [
    'sh',
    'dirname',
    'readlink',
    'find',
    'cmp',
    'flock',
    'mkdir',
    'cat',
    'cp',
    'mv',
    'rm',
    'ln',
    'uname',
  ]) {
    const found = which(name);
    if (found !== undefined) symlinkSync(found, join(tools, name));
  }
  // Whoever waits a second for a lock waits a tenth.
  executable(
    'sleep',
    `#!/bin/sh
if [ "$1" = 1 ]; then set -- 0.1; fi
exec ${which('sleep')} "$@"
`,
  );
  // Older than needed: it only says no.
  executable('node', '#!/bin/sh\nexit 1\n');
  executable(
    'npm',
    `#!/bin/sh
echo "npm $*" >>'${join(dir, 'npm.log')}'
echo 'npm says this on stdout'
if [ -e '${join(dir, 'slow')}' ]; then sleep 0.3; fi
rm -rf node_modules && mkdir -p node_modules/.bin
ln -s '${join(repository, 'node_modules/esbuild')}' node_modules/esbuild
ln -s '${process.execPath}' node_modules/.bin/node
echo '{}' >node_modules/.package-lock.json
`,
  );
});
afterEach(() => {
  chmodSync(checkout, 0o755);
  rmSync(dir, { recursive: true, force: true });
});

function which(name: string): string | undefined {
  return ['/usr/local/bin', '/usr/bin', '/bin'].map((path) => join(path, name)).find((path) => existsSync(path));
}

function executable(name: string, text: string): void {
  rmSync(join(tools, name), { force: true });
  writeFileSync(join(tools, name), text, { mode: 0o755 });
}

function program(word: string): void {
  const text = `console.log(JSON.stringify([${JSON.stringify(word)}, process.cwd(), process.execPath, ...process.argv.slice(2)]));
if (process.argv[2] === 'fail') process.exitCode = 7;\n`;
  writeFileSync(join(checkout, 'src/cli/main.ts'), text);
}

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function kubexm(args: readonly string[], options: { cwd?: string; file?: string; uid?: number } = {}): Promise<Result> {
  const { cwd = dir, file = join(checkout, 'kubexm'), uid } = options;
  const env = { PATH: tools, HOME: join(dir, 'home'), XDG_CACHE_HOME: join(dir, 'cache') };
  const child = spawn(file, args, {
    cwd,
    env,
    ...(uid === undefined ? {} : { uid, gid: uid }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data: Buffer) => {
    stdout += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

function installs(): number {
  return existsSync(join(dir, 'npm.log')) ? readFileSync(join(dir, 'npm.log'), 'utf8').trim().split('\n').length : 0;
}

/** Makes a file newer than everything so far. */
function touch(name: string): void {
  const later = new Date(Date.now() + 2000);
  utimesSync(join(checkout, name), later, later);
}

describe('./kubexm', () => {
  it('installs and builds from a fresh clone, and says so on stderr only', async () => {
    const result = await kubexm(['a b', '', '*', "it's"]);
    expect(result.stderr).toContain('installing packages');
    expect(result.stderr).toContain('building');
    expect(JSON.parse(result.stdout)).toEqual(['first', dir, process.execPath, 'a b', '', '*', "it's"]);
    expect(result.code).toBe(0);
    expect(await kubexm(['fail'])).toMatchObject({ code: 7, stderr: '' });
    expect(installs()).toBe(1);
  });

  it('builds again only when something is newer', async () => {
    await kubexm([]);
    program('second');
    touch('src/cli/main.ts');
    const changed = await kubexm([]);
    expect(changed.stderr).toBe('kubexm: building\n');
    expect(JSON.parse(changed.stdout)[0]).toBe('second');
    // The build was made before that date: bring the sources back into the past.
    for (const name of ['src/cli/main.ts', 'src/cli', 'src']) utimesSync(join(checkout, name), 1, 1);
    expect((await kubexm([])).stderr).toBe('');
    writeFileSync(join(checkout, 'src/x.test.ts'), '');
    touch('src/x.test.ts');
    utimesSync(join(checkout, 'src'), 1, 1);
    expect((await kubexm([])).stderr).toBe('');
    rmSync(join(checkout, 'src/x.test.ts'));
    expect((await kubexm([])).stderr, 'a deleted source').toBe('kubexm: building\n');
  });

  it('installs again only when the lock file says something else', async () => {
    await kubexm([]);
    touch('package-lock.json');
    expect((await kubexm([])).stderr).not.toContain('installing');
    writeFileSync(join(checkout, 'package-lock.json'), '{ "lockfileVersion": 3 }');
    touch('package-lock.json');
    expect((await kubexm([])).stderr).toContain('installing');
    expect(installs()).toBe(2);
  });

  it('works through links, from anywhere', async () => {
    mkdirSync(join(dir, 'bin'));
    symlinkSync('../check out/kubexm', join(dir, 'bin/kubexm'));
    symlinkSync(join(dir, 'bin/kubexm'), join(dir, 'kx'));
    const result = await kubexm(['x'], { cwd: '/', file: join(dir, 'kx') });
    expect(JSON.parse(result.stdout)).toEqual(['first', '/', process.execPath, 'x']);
  });

  for (const lock of ['flock', 'a directory']) {
    it(`installs once when several are started at once, locked with ${lock}`, async () => {
      writeFileSync(join(dir, 'slow'), '');
      if (lock !== 'flock') rmSync(join(tools, 'flock'), { force: true });
      const results = await Promise.all([1, 2, 3].map((n) => kubexm([`${n}`])));
      expect(results.map((result) => [result.code, JSON.parse(result.stdout)[3]])).toEqual([
        [0, '1'],
        [0, '2'],
        [0, '3'],
      ]);
      expect(installs()).toBe(1);
      expect(existsSync(join(checkout, 'dist/.lock.d'))).toBe(false);
    });
  }

  it('takes a lock whose owner is dead', async () => {
    rmSync(join(tools, 'flock'), { force: true });
    mkdirSync(join(checkout, 'dist/.lock.d'), { recursive: true });
    const dead = spawnSync('/bin/sh', ['-c', 'echo $$']).stdout.toString();
    writeFileSync(join(checkout, 'dist/.lock.d/pid'), dead);
    expect((await kubexm([])).code).toBe(0);
  });

  it("takes the system's Node when it is new enough, and notices when it changes", async () => {
    const system = join(tools, 'node');
    rmSync(system);
    symlinkSync(process.execPath, system);
    const ran = async () => JSON.parse((await kubexm([])).stdout)[2] as string;
    expect(await ran()).toBe(process.execPath);
    expect(readFileSync(join(checkout, 'node_modules/.kubexm-node'), 'utf8')).toBe(`${system}\n${system}\n`);
    executable('node', '#!/bin/sh\nexit 1\n');
    const later = new Date(Date.now() + 2000);
    utimesSync(system, later, later);
    expect(await ran()).toBe(process.execPath);
    const own = join(checkout, 'node_modules/.bin/node');
    expect(readFileSync(join(checkout, 'node_modules/.kubexm-node'), 'utf8')).toBe(`${system}\n${own}\n`);
  });

  it('says what is missing: npm, Node', async () => {
    rmSync(join(tools, 'npm'));
    const result = await kubexm([]);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain('npm is not installed');
    mkdirSync(join(checkout, 'node_modules'));
    for (const name of ['node_modules/.package-lock.json', 'dist/kubexm.mjs', 'dist/.stamp']) {
      writeFileSync(join(checkout, name), '');
      touch(name);
    }
    const noNode = await kubexm([]);
    expect(noNode).toMatchObject({ code: 1, stdout: '' });
    expect(noNode.stderr).toContain('Node 22.18 or newer is needed');
  });

  it('fails when installing or building fails, and tries again', async () => {
    writeFileSync(join(checkout, 'src/cli/main.ts'), 'this is no program(');
    for (let i = 0; i < 2; i++) {
      const result = await kubexm([]);
      expect(result).toMatchObject({ code: 1, stdout: '' });
      expect(result.stderr).toContain('the build failed');
    }
    program('mended');
    expect((await kubexm([])).code).toBe(0);
    rmSync(join(checkout, 'node_modules'), { recursive: true });
    executable('npm', '#!/bin/sh\nexit 3\n');
    const result = await kubexm([]);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain('npm ci failed');
  });

  it('runs from a read-only checkout that is built, and says why it cannot build one', async (context) => {
    const root = process.getuid?.() === 0;
    const as = root ? { uid: NOBODY } : {};
    if (root) {
      try {
        accessSync(process.execPath, constants.X_OK);
        if (spawnSync(process.execPath, ['-e', '0'], { uid: NOBODY, gid: NOBODY }).status !== 0) throw new Error();
      } catch {
        context.skip('needs a Node that other users can run');
      }
    }
    await kubexm([]);
    if (!root) chmodSync(checkout, 0o555);
    if (!root) chmodSync(join(checkout, 'dist'), 0o555);
    expect(await kubexm([], as)).toMatchObject({ code: 0, stderr: '' });
    touch('src/index.ts');
    const stale = await kubexm([], as);
    expect(stale).toMatchObject({ code: 1, stdout: '' });
    expect(stale.stderr).toContain(`this checkout has to be built, but ${checkout} cannot be written`);
    if (!root) chmodSync(join(checkout, 'dist'), 0o755);
  });

  it('starts at once when it is built', async () => {
    await kubexm([]);
    await kubexm([]);
    const fastest = async (run: () => unknown) => {
      let best = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 6; i++) {
        const started = performance.now();
        await run();
        best = Math.min(best, performance.now() - started);
      }
      return best;
    };
    const bare = await fastest(() => kubexm(['-e', '0'], { file: process.execPath }));
    expect((await fastest(() => kubexm([]))) - bare).toBeLessThan(400);
  });
});

describe('dist/kubexm.mjs', () => {
  it('tells an older Node that it is too old', () => {
    const bin = readFileSync(join(repository, 'scripts/bin.mjs'), 'utf8').replaceAll(
      'process.versions.node',
      "'20.20.2'",
    );
    const result = spawnSync(process.execPath, ['--input-type=module', '-e', bin.replace(/^#!.*/, '')]);
    expect([result.status, result.stderr.toString()]).toEqual([
      1,
      'kubexm: Node 20.20.2 is too old; 22.18 or newer is needed\n',
    ]);
  });
});
