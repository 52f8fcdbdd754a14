import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { mergeKubeconfig, recordContext, unmergeKubeconfig } from '../../src/index.ts';
import { call, cli, tempDir } from './rig/cli.ts';

const ADMIN = `apiVersion: v1
clusters:
- cluster: {server: "https://192.0.2.1:6443"}
  name: kubernetes
contexts:
- context: {cluster: kubernetes, user: kubernetes-admin}
  name: kubernetes-admin@kubernetes
kind: Config
users:
- name: kubernetes-admin
  user: {client-key-data: c2VjcmV0}
`;

/** A directory with a configuration, and with a kubeconfig as `create cluster` fetches it. */
async function world() {
  const cwd = tempDir();
  const home = join(cwd, 'home');
  await call(['generate', 'config', '-o', 'c.yaml'], { cwd });
  const work = join(cwd, '.kubexm', 'mycluster');
  mkdirSync(work, { recursive: true });
  const kubexm = (words: readonly string[], env: NodeJS.ProcessEnv = {}, how = call) =>
    how(['get', 'kubeconfig', '-f', 'c.yaml', ...words], { cwd, env: { HOME: home, ...env } });
  return { cwd, own: join(home, '.kube', 'config'), fetched: join(work, 'kubeconfig'), work, kubexm };
}

test('get kubeconfig: printed, named, merged, and taken out', async () => {
  const { cwd, own, fetched, work, kubexm } = await world();
  expect((await kubexm([])).stderr).toContain('KX4711');
  writeFileSync(fetched, ADMIN, { mode: 0o600 });
  expect(await kubexm([])).toMatchObject({ code: 0, stdout: ADMIN, stderr: '' });
  expect(await kubexm(['-o', 'name'])).toMatchObject({ code: 0, stdout: `${fetched}\n` });
  expect(existsSync(own)).toBe(false);

  const merged = await kubexm(['--merge'], {}, cli);
  expect(merged).toMatchObject({ code: 0, stdout: '' });
  expect(merged.stderr).toBe(`${own} has the cluster mycluster now; its context is the current one.\n`);
  expect(statSync(own).mode & 0o777).toBe(0o600);
  expect(parse(readFileSync(own, 'utf8'))).toMatchObject({ 'current-context': 'mycluster' });
  expect(readFileSync(join(work, 'merged-kubeconfig.json'), 'utf8')).not.toContain('c2VjcmV0');

  const place = { cluster: 'mycluster', baseDir: cwd };
  expect(await unmergeKubeconfig(place)).toEqual([{ file: own, removed: true, left: [] }]);
  expect(existsSync(own)).toBe(false);
  expect(await unmergeKubeconfig(place)).toEqual([]);
});

test('the first file of KUBECONFIG is meant, and a link is followed', async () => {
  const { cwd, own, fetched, kubexm } = await world();
  writeFileSync(fetched, ADMIN);
  writeFileSync(join(cwd, 'real'), '# mine\napiVersion: v1\nkind: Config\n', { mode: 0o644 });
  symlinkSync('real', join(cwd, 'link'));
  const env = { KUBECONFIG: `:${join(cwd, 'link')}:${join(cwd, 'other')}` };
  expect(await kubexm(['--merge'], env)).toMatchObject({ code: 0 });
  expect(readFileSync(join(cwd, 'real'), 'utf8')).toMatch(
    /^# mine\napiVersion: v1\nkind: Config\nclusters:\n- name: my/,
  );
  expect(statSync(join(cwd, 'real')).mode & 0o777).toBe(0o600);
  expect([own, join(cwd, 'other'), join(cwd, 'link.lock')].filter(existsSync)).toEqual([]);
});

test.each([
  ['broken', 'clusters: [\n', 'KX4710'],
  ['another cluster of that name', 'clusters: [{name: mycluster, cluster: {server: "https://192.0.2.9"}}]\n', 'KX4712'],
])('%s: told, and left as it is', async (_, text, code) => {
  const { own, fetched, kubexm } = await world();
  writeFileSync(fetched, ADMIN);
  mkdirSync(join(own, '..'), { recursive: true });
  writeFileSync(own, text, { mode: 0o640 });
  const refused = await kubexm(['--merge']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(code);
  expect(readFileSync(own, 'utf8')).toBe(text);
  expect(statSync(own).mode & 0o777).toBe(0o640);
  expect(existsSync(`${own}.lock`)).toBe(false);
});

test.each<[string, string, (cwd: string) => void]>([
  ['its own kubeconfig', '.kubexm/mycluster/kubeconfig', () => undefined],
  ['that of another cluster, by a link', 'link', (cwd) => otherCluster(cwd)],
  ['its own, by another name', 'same', (cwd) => linkSync(join(cwd, '.kubexm/mycluster/kubeconfig'), join(cwd, 'same'))],
  ['a link to nothing', 'link', (cwd) => symlinkSync('gone', join(cwd, 'link'))],
  ['below a file', 'c.yaml/config', () => undefined],
])('%s: refused with KX4710, before anything is made', async (_, file, prepare) => {
  const { cwd, fetched, work, kubexm } = await world();
  writeFileSync(fetched, ADMIN);
  prepare(cwd);
  const before = readdirSync(cwd, { recursive: true }).sort();
  const refused = await kubexm(['--merge'], { KUBECONFIG: file });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('KX4710');
  expect(readdirSync(cwd, { recursive: true }).sort()).toEqual(before);
  expect(readFileSync(join(work, 'kubeconfig'), 'utf8')).toBe(ADMIN);
  const create = await call(['create', 'cluster', '-f', 'c.yaml', '--merge-kubeconfig'], {
    cwd,
    env: { KUBECONFIG: file },
  });
  expect(create.stderr).toContain('KX4710');
});

function otherCluster(cwd: string): void {
  mkdirSync(join(cwd, '.kubexm', 'other'));
  writeFileSync(join(cwd, '.kubexm', 'other', 'kubeconfig'), ADMIN);
  symlinkSync('.kubexm/other/kubeconfig', join(cwd, 'link'));
}

test('into two files: taken out of both; what cannot be read stays known', async () => {
  const { cwd, fetched, work, kubexm } = await world();
  const place = { cluster: 'mycluster', baseDir: cwd };
  writeFileSync(fetched, ADMIN);
  const [a = '', b = ''] = ['a', 'b'].map((name) => join(cwd, name));
  await kubexm(['--merge'], { KUBECONFIG: 'a' });
  await kubexm(['--merge'], { KUBECONFIG: b });
  const text = readFileSync(b, 'utf8');
  writeFileSync(b, 'clusters: [\n');
  const [first, second] = await unmergeKubeconfig(place);
  expect(first).toEqual({ file: a, removed: true, left: [] });
  expect(second).toMatchObject({ file: b, removed: false, error: { code: 'KX4713' } });
  writeFileSync(b, text);
  expect(await unmergeKubeconfig(place)).toEqual([{ file: b, removed: true, left: [] }]);
  await kubexm(['--merge'], { KUBECONFIG: 'a' });
  rmSync(a);
  expect(await unmergeKubeconfig(place)).toEqual([{ file: a, removed: false, left: [] }]);
  expect(readdirSync(work)).toEqual(['kubeconfig']);
});

test('two clusters, taken out in turn: the context of before is current again', async () => {
  const { cwd, own, fetched } = await world();
  const user = { env: { HOME: join(cwd, 'home') }, cwd };
  const other = join(cwd, 'elsewhere');
  mkdirSync(join(other, '.kubexm', 'second'), { recursive: true });
  writeFileSync(fetched, ADMIN);
  writeFileSync(join(other, '.kubexm', 'second', 'kubeconfig'), ADMIN);
  const [a, b] = [
    { cluster: 'mycluster', baseDir: cwd },
    { cluster: 'second', baseDir: other },
  ] as const;
  recordContext(user.env, { name: a.cluster, configFile: 'c.yaml', baseDir: cwd });
  mkdirSync(join(own, '..'), { recursive: true });
  const text = 'contexts:\n- name: home\n  context: {cluster: home, user: me}\ncurrent-context: home\n';
  writeFileSync(own, text);
  for (const place of [a, b]) await mergeKubeconfig(place, user);
  for (const place of [a, b]) await unmergeKubeconfig(place);
  expect(readFileSync(own, 'utf8')).toBe(text);
  rmSync(own);
  for (const place of [a, b]) await mergeKubeconfig(place, user);
  for (const place of [a, b]) await unmergeKubeconfig(place);
  expect(existsSync(own)).toBe(false);
});

test('kubectl’s lock is waited for, and named when it stays', async () => {
  const { own, fetched, kubexm } = await world();
  writeFileSync(fetched, ADMIN);
  mkdirSync(join(own, '..'), { recursive: true });
  writeFileSync(`${own}.lock`, '');
  setTimeout(() => rmSync(`${own}.lock`), 300);
  expect(await kubexm(['--merge'])).toMatchObject({ code: 0 });
  expect(existsSync(`${own}.lock`)).toBe(false);

  writeFileSync(`${own}.lock`, '');
  // The clock runs fifty times as fast: nobody waits the whole time.
  const began = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: began });
  const clock = setInterval(() => vi.setSystemTime(Date.now() + 1000), 20);
  onTestFinished(() => {
    clearInterval(clock);
    vi.useRealTimers();
  });
  const refused = await kubexm(['--merge']);
  expect(Date.now() - began).toBeGreaterThanOrEqual(5000);
  expect(refused.stderr).toContain('KX4714');
  expect(refused.stderr.replace(/\s+/g, '')).toContain(`rm${own}.lock`);
  expect(existsSync(`${own}.lock`)).toBe(true);
}, 30_000);

test('as root: what is made for somebody is theirs', async (context) => {
  if (process.getuid?.() !== 0) return context.skip('needs root');
  const { cwd, own, fetched, kubexm } = await world();
  writeFileSync(fetched, ADMIN);
  mkdirSync(join(cwd, 'home'));
  chownSync(join(cwd, 'home'), 1234, 2345);
  await kubexm(['--merge']);
  for (const path of [join(own, '..'), own]) expect(statSync(path)).toMatchObject({ uid: 1234, gid: 2345 });
});

test('create cluster: a name that is taken is refused before it begins, also one given by -e', async () => {
  const { cwd, own } = await world();
  mkdirSync(join(own, '..'), { recursive: true });
  writeFileSync(own, 'users: [{name: given, user: {token: "1"}}]\n');
  const create = (...words: string[]) =>
    call(['create', 'cluster', '-f', 'c.yaml', '--merge-kubeconfig', ...words], {
      cwd,
      env: { HOME: join(cwd, 'home') },
    });
  const refused = await create('-e', 'metadata.name=given');
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('KX4712');
  expect(existsSync(join(cwd, '.kubexm', 'given'))).toBe(false);
});
