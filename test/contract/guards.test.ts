import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LEFT_CODE } from '../../src/model/report.ts';
import type { Script } from '../../src/model/script.ts';
import type { AnyStep } from '../../src/plan/step.ts';
import * as generic from '../../src/step/generic/index.ts';
import { dealt } from '../rig/thorough.ts';
import { Bench, check, io, perform, scratch } from './bench.ts';
import { ODD, root } from './case.ts';

const bench = new Bench(scratch('guards'));

/** Mounts one directory of the test's own over another, or says that it may not. */
function mounted(from: string, over: string): boolean {
  return root && spawnSync('mount', ['--bind', from, over]).status === 0;
}

describe.each(bench.shells)('mounts are respected, in $name', (variant) => {
  const host = bench.host(variant);

  test('a file that is a mount point is written through', async (context) => {
    const dir = bench.dir('mount');
    const [real, over] = [join(dir, 'real'), join(dir, 'hosts \\ü')];
    writeFileSync(real, 'old\n');
    writeFileSync(over, '');
    if (!mounted(real, over)) return context.skip('needs the right to mount');
    try {
      const want = { path: over, content: 'new\n', mode: '0640' };
      expect(await perform(host, generic.file.definition, want)).toMatchObject({ code: 0, stderr: '' });
      expect((await check(host, generic.file.definition, want)).verdict).toBe('satisfied');
      expect(readFileSync(real, 'utf8')).toBe('new\n');
    } finally {
      spawnSync('umount', ['-l', over]);
    }
  });

  test.for(['plain', 'a b\t\\134', ODD])('what is mounted below %j is never removed', async (name, context) => {
    const dir = bench.dir('mount');
    const [data, over] = [join(dir, 'data'), join(dir, name, 'deep')];
    mkdirSync(data);
    writeFileSync(join(data, 'precious'), 'x');
    mkdirSync(over, { recursive: true });
    if (!mounted(data, over)) return context.skip('needs the right to mount');
    try {
      const removed = await perform(host, generic.remove.definition, { path: join(dir, name) });
      expect(removed.stderr).toContain('something is mounted on or below');
      const before = { existed: false, mode: '0755', uid: 0, gid: 0, made: [] };
      const reverted = await host.run(
        generic.directory.definition.revert!(host, { path: join(dir, name) }, before) as Script,
      );
      expect(reverted.stderr).toContain('stays: what is in it was not put there by this step');
      mkdirSync(join(dir, 'other'));
      const copied = await perform(host, generic.copy.definition, {
        source: join(dir, 'other'),
        path: join(dir, name),
      });
      expect(copied.stderr).toContain('something is mounted on or below');
      expect(readFileSync(join(data, 'precious'), 'utf8')).toBe('x');
    } finally {
      spawnSync('umount', ['-l', over]);
    }
  });
});

/**
 * The guards of what could destroy a machine, with every command that changes anything replaced by one that only speaks:
 * a guard that fails must fail a test, not the machine that runs it.
 */
describe.each(bench.shells)('no link leads to the system, in $name', (variant) => {
  const host = bench.host(variant);
  const stubs = ['rm', 'mv', 'cp', 'ln', 'mkdir', 'chmod', 'chown', 'find', 'tar', 'unzip'];
  const harmless = stubs
    .map((name) => `${name}() { echo "CHANGED by ${name} $*"; }`)
    .join('\n')
    .concat('\nrmdir() { return 1; }');
  const dir = bench.dir('guard');
  mkdirSync(join(dir, 'source'));
  const safely = async (script: Script) => await host.run({ script: `${harmless}\n${script.script}` });

  const dangers: readonly [string, AnyStep, (path: string) => unknown][] = [
    ['remove', generic.remove.definition, (path) => ({ path })],
    ['copy', generic.copy.definition, (path) => ({ source: join(dir, 'source'), path })],
    ['mode', generic.mode.definition, (path) => ({ path, mode: '0777', directoryMode: '0777', recursive: true })],
  ];
  const targets = ['etc', 'usr/bin', 'home', 'tmp', 'var/lib', 'etc/ssl'].filter((name) => existsSync(`/${name}`));

  // Each in one of the shells, in another one in every run; a thorough run tries all in all.
  const turn = <T>(cases: readonly T[]) => dealt(cases, bench.shells.indexOf(variant), bench.shells.length);

  test.each(
    turn(dangers.flatMap(([name, step, want]) => targets.map((target) => [name, target, step, want] as const))),
  )('%s: /%s', async (_name, target, step, want) => {
    const link = join(dir, 'way');
    symlinkSync('/', link);
    try {
      const output = await safely(step.apply(host, want(join(link, target)), io) as Script);
      expect(output.stderr).toMatch(/is a directory of the system: it is never removed or replaced/);
      expect(output.code).toBe(1);
      expect(
        output.stdout.split('\n').filter((line) => line.startsWith('CHANGED') && !line.includes('.kubexm-')),
      ).toEqual([]);
    } finally {
      rmSync(link);
    }
  });

  test.each(turn(targets))('directory, undone: /%s', async (target) => {
    const link = join(dir, 'way');
    symlinkSync('/', link);
    try {
      const before = { existed: false, mode: '0755', uid: 0, gid: 0, made: [] };
      const undo = generic.directory.definition.revert!(host, { path: join(link, target) }, before) as Script;
      const output = await safely(undo);
      expect(output.code).toBe(LEFT_CODE);
      expect(output.stdout).toBe('');
    } finally {
      rmSync(link);
    }
  });

  test('the harmless commands do replace the real ones', async () => {
    const victim = join(dir, 'victim');
    mkdirSync(victim);
    writeFileSync(join(victim, 'f'), 'x');
    const output = await safely(generic.remove.definition.apply(host, { path: victim }, io) as Script);
    expect(output.stdout).toBe(`CHANGED by rm -rf -- ${victim}\n`);
    expect(existsSync(join(victim, 'f'))).toBe(true);
  });
});
