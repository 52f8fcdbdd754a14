import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkout,
  dir,
  installs,
  kubexm,
  NATIVE,
  npmCalls,
  oldNode,
  PACKAGE,
  program,
  repository,
  tools,
  touch,
  withCheckout,
} from './checkout.ts';

const NOBODY = 65534;

withCheckout();

describe('./kubexm', () => {
  it('takes its own programs out of PATH, and does not put the current directory in', () => {
    const read = `root='${checkout}'; . "$root/scripts/setup.sh"; printf %s "$PATH"`;
    const PATH = [join(checkout, 'node_modules/.bin'), tools, '', '/usr/bin', ''].join(':');
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', read], { env: { PATH }, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual([`${tools}:/usr/bin`, '']);
  });

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
    const lock = readFileSync(join(checkout, 'package-lock.json'), 'utf8');
    writeFileSync(join(checkout, 'package-lock.json'), `${lock}\n`);
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
    oldNode();
    const later = new Date(Date.now() + 2000);
    utimesSync(system, later, later);
    expect(await ran()).toBe(process.execPath);
    const own = join(checkout, 'node_modules', PACKAGE, 'bin/node');
    expect(readFileSync(join(checkout, 'node_modules/.kubexm-node'), 'utf8')).toBe(`${system}\n${own}\n`);
  });

  it('lets an old Node get a newer one first, which then runs npm for the rest', async () => {
    expect(await kubexm([])).toMatchObject({ code: 0 });
    const [first, second, ...more] = npmCalls();
    expect(more).toEqual([]);
    expect(first).toMatchObject({ verb: 'ci', on: 'old', whole: false, packages: 2 });
    expect(second).toMatchObject({ verb: 'ci', on: 'new', whole: true, places: '/usr/share/nodejs' });
    for (const call of [first, second]) expect(call?.flags).toContain('--ignore-scripts');
    expect(existsSync(join(checkout, NATIVE))).toBe(true);
    expect(existsSync(join(checkout, 'dist/.setup'))).toBe(false);
    // For scripts of package.json, where npm has not linked it.
    expect(realpathSync(join(checkout, 'node_modules/.bin/node'))).toBe(realpathSync(process.execPath));
  });

  it('installs in one go where the Node of the system is new enough, without scripts of packages', async () => {
    rmSync(join(tools, 'node'));
    symlinkSync(process.execPath, join(tools, 'node'));
    expect(await kubexm([])).toMatchObject({ code: 0 });
    expect(npmCalls()).toMatchObject([
      { verb: 'ci', whole: true, flags: expect.arrayContaining(['--ignore-scripts']) },
    ]);
  });

  it('gets the newer Node only as the lock file has it', async () => {
    const lock = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8'));
    delete lock.packages[`node_modules/${PACKAGE}`].integrity;
    writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify(lock));
    const result = await kubexm([]);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain(`no ${PACKAGE} with its integrity`);
    expect(npmCalls()).toEqual([]);
  });

  it('says what is missing, and how to get it: npm, Node', async () => {
    writeFileSync(join(dir, 'no node'), '');
    const noNode = await kubexm([]);
    expect(noNode).toMatchObject({ code: 1, stdout: '' });
    expect(noNode.stderr).toContain('Node 22.18 or newer is needed');
    expect(noNode.stderr).toContain(`has v18.20.4 (${join(tools, 'node')})`);
    expect(noNode.stderr).toContain('Install Node 22.18 or newer');
    rmSync(join(tools, 'npm'));
    const noNpm = await kubexm([]);
    expect(noNpm).toMatchObject({ code: 1, stdout: '' });
    expect(noNpm.stderr).toContain('npm is not installed');
    expect(noNpm.stderr).toContain('apt-get install npm');
  });

  it('installs again where no Node is left that is new enough', async () => {
    await kubexm([]);
    rmSync(join(checkout, 'node_modules', PACKAGE), { recursive: true });
    expect(await kubexm([])).toMatchObject({ code: 0 });
    expect(installs()).toBe(2);
  });

  it('fails when installing or building fails, and tries again', async () => {
    writeFileSync(join(checkout, 'src/cli/main.ts'), 'this is no program(');
    for (let i = 0; i < 2; i++) {
      const result = await kubexm([]);
      expect(result).toMatchObject({ code: 1, stdout: '' });
      expect(result.stderr).toContain('the build failed');
    }
    program('repaired');
    expect((await kubexm([])).code).toBe(0);
    rmSync(join(checkout, 'node_modules'), { recursive: true });
    writeFileSync(join(dir, 'fails'), '');
    const result = await kubexm([]);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain('npm ci failed');
    expect(result.stderr).toContain('npm ping');
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
