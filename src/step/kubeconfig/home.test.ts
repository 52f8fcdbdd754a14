import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { StateCase } from '../../../test/contract/case.ts';
import { meetsContract } from '../../../test/contract/procedure.ts';
import { ShellHost, variants } from '../../../test/contract/shell-host.ts';
import { some } from '../../../test/rig/thorough.ts';
import { LEFT_CODE, type StepReport } from '../../model/report.ts';
import type { Script } from '../../model/script.ts';
import type { AnyStep, StepIo } from '../../plan/step.ts';
import { type HomeKubeconfig, homeKubeconfig, tellLeft } from './home.ts';
import { homeDirectory } from './home-directory.ts';

const scratch = mkdtempSync(join(tmpdir(), 'kubexm-home-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const conf = (key: string, ca = 'QUJD') => `clusters:
- cluster:
    certificate-authority-data: ${ca}
users:
- user:
    client-certificate-data: ${key}
    client-key-data: ${key}
`;
const { probe, judge, apply } = homeKubeconfig.definition;
const me = userInfo().username;

// In one shell, another in every run; in all of them in a thorough run.
describe.each(some(variants(scratch), 1))('a kubeconfig in a home, in $name', (variant) => {
  let dir: string;
  let source: string;
  let host: ShellHost;
  let count = 0;
  beforeEach(() => {
    const place = join(scratch, `${variant.name}-${count++}`);
    dir = join(place, '.kube');
    source = join(place, 'admin.conf');
    mkdirSync(dir, { recursive: true });
    writeFileSync(source, conf('a2V5'), { mode: 0o600 });
    host = new ShellHost(variant, place);
  });

  const want = (user: string): HomeKubeconfig => ({ dir, user, source });
  const look = async (user: string) => judge!(await host.run(probe!(want(user))), want(user));
  const lookAtDirectory = async (user: string) =>
    homeDirectory.definition.judge!(await host.run(homeDirectory.definition.probe!({ dir, user })), { dir, user });
  const make = async (user: string) => {
    const ended = await host.run(apply(host, want(user), {} as StepIo) as Script);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
  };
  const ours = { verdict: 'satisfied', output: { left: '' } };
  const theirs = () => ({ verdict: 'satisfied', output: { left: join(dir, 'config') } });

  test('root has a link, which follows the original', async () => {
    expect(await look('root')).toMatchObject({ verdict: 'needed' });
    await make('root');
    expect(readlinkSync(join(dir, 'config'))).toBe(source);
    writeFileSync(source, conf('bmV3'));
    expect(await look('root')).toEqual(ours);
  });

  // Only root may give a file to a user called root; the user of this test may have a copy.
  const copies = me === 'root' ? 'nobody' : me;
  test('others have a copy of their own, made again when the original is renewed', async (context) => {
    if (me !== 'root') return context.skip('only root can give files away');
    expect(await look(copies)).toMatchObject({ verdict: 'needed' });
    await make(copies);
    const file = join(dir, 'config');
    expect(lstatSync(file).isFile()).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(conf('a2V5'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(file).uid).toBeGreaterThan(0);
    expect(await look(copies)).toEqual(ours);
    writeFileSync(source, conf('bmV3'));
    expect(await look(copies)).toMatchObject({ verdict: 'needed', diff: [{ from: 'an older copy' }] });
    await make(copies);
    expect(await look(copies)).toEqual(ours);
    chmodSync(file, 0o644);
    expect(await look(copies)).toMatchObject({ verdict: 'needed' });
  });

  test.each<[string, string, (file: string) => void]>([
    ['another file', 'root', (file) => writeFileSync(file, conf('a2V5', 'b3RoZXI='))],
    ['a copy that somebody made for root', 'root', (file) => writeFileSync(file, conf('a2V5'))],
    ['another link', 'root', (file) => symlinkSync('/elsewhere', file)],
    ['a link of a user', 'nobody', (file) => symlinkSync('/elsewhere', file)],
    ['another cluster', 'nobody', (file) => writeFileSync(file, conf('a2V5', 'b3RoZXI='))],
    ['a directory', 'nobody', (file) => mkdirSync(file)],
  ])('%s is left alone', async (_, user, put) => {
    put(join(dir, 'config'));
    expect(await look(user)).toEqual(theirs());
  });

  test('a file of another owner is theirs, be it the same', async () => {
    writeFileSync(join(dir, 'config'), conf('a2V5'), { mode: 0o600 });
    expect(await look(me === 'root' ? 'nobody' : 'root')).toEqual(theirs());
  });

  test('what is in the directory already keeps its owner, and nothing stays behind', async () => {
    writeFileSync(join(dir, 'other'), '');
    if (me === 'root') chownSync(dir, 12, 34);
    const { uid, gid } = statSync(dir);
    await make('root');
    expect(readdirSync(dir).sort()).toEqual(['config', 'other']);
    expect(statSync(dir)).toMatchObject({ uid, gid });
  });

  test.each<[string, (dir: string) => void]>([
    ['a file', (path) => writeFileSync(path, 'mine')],
    ['a link to nothing', (path) => symlinkSync('/elsewhere/gone', path)],
  ])('where .kube is %s it is left alone, and told', async (_, put) => {
    rmSync(dir, { recursive: true });
    put(dir);
    const before = lstatSync(dir);
    expect(await lookAtDirectory('nobody')).toMatchObject({ verdict: 'satisfied' });
    expect(await look('nobody')).toEqual(theirs());
    expect(lstatSync(dir).ino).toBe(before.ino);
  });

  // The tests run where /opt cannot be written to.
  test('a home where root cannot write is left alone, and told', async (context) => {
    if (variant.name === 'busybox') return context.skip('busybox says that root can write everywhere');
    const want = { dir: '/opt/.kube', user: 'nobody', source };
    expect(judge!(await host.run(probe!(want)), want)).toEqual({ ...ours, output: { left: '/opt/.kube/config' } });
    const made = await host.run(homeDirectory.definition.probe!(want));
    expect(homeDirectory.definition.judge!(made, want)).toMatchObject({ verdict: 'satisfied' });
  });

  test('a directory goes when it is empty, and stays without a word for the cache that goes with the node', async () => {
    const undo = () => host.run(homeDirectory.definition.revert!(host, { dir, user: me }, {}) as Script);
    mkdirSync(join(dir, 'cache'));
    expect(await undo()).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(dir)).toBe(true);
    writeFileSync(join(dir, 'theirs'), '');
    expect(await undo()).toMatchObject({ code: LEFT_CODE, reports: [{ type: 'left' }] });
    rmSync(join(dir, 'theirs'));
    rmSync(join(dir, 'cache'), { recursive: true });
    expect(await undo()).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(dir)).toBe(false);
  });

  test('a user without a home gets nothing', async () => {
    for (const step of [homeDirectory, homeKubeconfig]) {
      const nowhere = { dir: '', user: 'nobody', source };
      const seen = await host.run(step.definition.probe!(nowhere));
      expect(step.definition.judge!(seen, nowhere)).toMatchObject({ verdict: 'satisfied' });
      expect(step.definition.saves?.(nowhere) ?? []).toEqual([]);
      expect(step.definition.effects?.(nowhere) ?? []).toEqual([]);
    }
  });

  const step = homeKubeconfig.definition as unknown as AnyStep;
  const at = (tree: string) => ({ dir: join(tree, '.kube'), source });
  test.each<StateCase>([
    { name: 'a link', step, want: (tree) => ({ ...at(tree), user: 'root' }) },
    {
      name: 'an older copy',
      step,
      before: (tree) => {
        const file = join(tree, '.kube', 'config');
        writeFileSync(file, conf('b2xk'), { mode: 0o640 });
        if (me === 'root') execFileSync('chown', ['nobody:', file]);
      },
      want: (tree) => ({ ...at(tree), user: copies }),
    },
    {
      name: 'a directory',
      step: homeDirectory.definition as unknown as AnyStep,
      before: (tree) => rmSync(join(tree, '.kube'), { recursive: true }),
      want: (tree) => ({ ...at(tree), user: me }),
    },
  ])('$name comes, and goes again', async (one) => {
    const tree = join(dir, '..', 'home');
    mkdirSync(join(tree, '.kube'), { recursive: true });
    await meetsContract(one, host, { tree, work: scratch, url: '' });
  });

  test('a directory that somebody has put something into stays', async () => {
    writeFileSync(join(dir, 'mine'), '');
    const undo = homeDirectory.definition.revert!(host, { dir, user: me }, {}) as Script;
    // In the words of the effect for this directory, so that it is reported once.
    expect(await host.run(undo)).toMatchObject({
      code: LEFT_CODE,
      reports: [{ type: 'left', text: `${dir} stays: what is in it is not the cluster's` }],
    });
    expect(existsSync(join(dir, 'mine'))).toBe(true);
  });

  test('a directory is made for the user', async (context) => {
    if (me !== 'root') return context.skip('only root can give directories away');
    rmSync(dir, { recursive: true });
    await host.run(homeDirectory.definition.apply(host, { dir, user: 'nobody' }, {} as StepIo) as Script);
    expect(statSync(dir).mode & 0o777).toBe(0o755);
    expect(statSync(dir).uid).toBeGreaterThan(0);
  });
});

test('only what is left alone is reported', async () => {
  const told: StepReport[] = [];
  const io = { report: (one: StepReport) => void told.push(one) } as unknown as StepIo;
  for (const left of ['', '/root/.kube/config'])
    await tellLeft.definition.apply({ name: 'cp1' } as never, { left }, io);
  expect(told).toEqual([{ type: 'finding', finding: { code: 'KX4704', params: { file: '/root/.kube/config' } } }]);
});
