import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkout, dir, installs, kubexm, NATIVE, npmCalls, tools, withCheckout } from './checkout.ts';

withCheckout();

describe('npm test', () => {
  const test = (...args: readonly string[]) =>
    kubexm([join(checkout, 'scripts/test.mjs'), ...args], { file: join(tools, 'node') });

  beforeEach(() => {
    writeFileSync(
      join(checkout, 'scripts/run-tests.mjs'),
      'console.log(JSON.stringify([process.execPath, ...process.argv.slice(2)])); process.exitCode = 5;\n',
    );
  });

  it('repairs what an old Node has installed, once, and runs the tests with a newer one', async () => {
    spawnSync(join(tools, 'npm'), ['ci'], { cwd: checkout, env: { PATH: tools } });
    expect(existsSync(join(checkout, NATIVE))).toBe(false);
    const result = await test('a b');
    expect(JSON.parse(result.stdout)).toEqual([process.execPath, 'a b']);
    expect(result.code).toBe(5);
    expect(result.stderr).toContain('packages that npm left out');
    expect(existsSync(join(checkout, NATIVE))).toBe(true);
    expect(installs()).toBe(2);
    expect(await test()).toMatchObject({ code: 5, stderr: '' });
    expect(installs()).toBe(2);
    // Somebody installs with the old one again.
    spawnSync(join(tools, 'npm'), ['ci'], { cwd: checkout, env: { PATH: tools } });
    await test();
    expect(existsSync(join(checkout, NATIVE))).toBe(true);
  });

  it('installs with the Node of the system although npm puts its own first in PATH', async () => {
    await test();
    rmSync(join(checkout, NATIVE), { recursive: true });
    rmSync(join(checkout, 'node_modules/.kubexm-installed'));
    const result = spawnSync(join(tools, 'node'), [join(checkout, 'scripts/test.mjs')], {
      env: { PATH: `${join(checkout, 'node_modules/.bin')}:${tools}` },
    });
    expect(result.status).toBe(5);
    expect(npmCalls().slice(-2)).toMatchObject([
      { on: 'old', whole: false },
      { on: 'new', whole: true },
    ]);
  });

  it('counts a set-up that failed as a failure', async () => {
    writeFileSync(join(dir, 'fails'), '');
    const result = await test();
    expect(result.code).toBe(1);
    expect(result.stdout.trim().split('\n').at(-1)).toBe('0 passed, 1 failed, 0 skipped');
    expect(result.stderr).toContain('npm ci failed');
  });
});

describe('missing-packages', () => {
  const other = process.arch === 'x64' ? 'arm64' : 'x64';
  const cases: readonly [string, Record<string, unknown>, boolean][] = [
    ['a plain one', {}, true],
    ['an optional one of this platform', { optional: true, os: ['linux'], cpu: [process.arch] }, true],
    ['one whose platform is no list', { optional: true, os: 'linux', cpu: process.arch }, true],
    ['an optional one of another processor', { optional: true, os: ['linux'], cpu: [other] }, false],
    ['an optional one of another system', { optional: true, os: ['darwin'], cpu: [process.arch] }, false],
    [
      'an optional one of another C library',
      { optional: true, os: ['linux'], cpu: [process.arch], libc: ['none'] },
      false,
    ],
    ['an optional one of no platform', { optional: true }, false],
  ];
  for (const [what, entry, missed] of cases) {
    it(`${missed ? 'misses' : 'does not miss'} ${what}`, () => {
      const lock = { packages: { '': {}, 'node_modules/a/node_modules/@x/thing': entry } };
      writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify(lock));
      const check = () => spawnSync(process.execPath, [join(checkout, 'scripts/missing-packages.mjs')]);
      const result = check();
      expect([result.status, result.stderr.toString()]).toEqual(
        missed ? [1, 'kubexm: packages that npm left out: @x/thing\n'] : [0, ''],
      );
      mkdirSync(join(checkout, 'node_modules/a/node_modules/@x/thing'), { recursive: true });
      writeFileSync(join(checkout, 'node_modules/a/node_modules/@x/thing/package.json'), '{}');
      expect(check().status).toBe(0);
    });
  }
});
