import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { unmergeKubeconfig } from '../../src/index.ts';
import { cli, tempDir } from './rig/cli.ts';

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
  await cli(['generate', 'config', '-o', 'c.yaml'], { cwd });
  const work = join(cwd, '.kubexm', 'mycluster');
  mkdirSync(work, { recursive: true });
  const kubexm = (words: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    cli(['get', 'kubeconfig', '-f', 'c.yaml', ...words], { cwd, env: { HOME: home, ...env } });
  return { cwd, own: join(home, '.kube', 'config'), fetched: join(work, 'kubeconfig'), work, kubexm };
}

test('get kubeconfig: printed, named, merged, and taken out', async () => {
  const { cwd, own, fetched, work, kubexm } = await world();
  expect((await kubexm([])).stderr).toContain('KX4711');
  writeFileSync(fetched, ADMIN, { mode: 0o600 });
  expect(await kubexm([])).toMatchObject({ code: 0, stdout: ADMIN, stderr: '' });
  expect(await kubexm(['-o', 'name'])).toMatchObject({ code: 0, stdout: `${fetched}\n` });
  expect(existsSync(own)).toBe(false);

  const merged = await kubexm(['--merge']);
  expect(merged).toMatchObject({ code: 0, stdout: '' });
  expect(merged.stderr).toBe(`${own} has the cluster mycluster now; its context is the current one.\n`);
  expect(statSync(own).mode & 0o777).toBe(0o600);
  expect(parse(readFileSync(own, 'utf8'))).toMatchObject({ 'current-context': 'mycluster' });
  expect(readFileSync(join(work, 'merged-kubeconfig.json'), 'utf8')).not.toContain('c2VjcmV0');

  expect(unmergeKubeconfig({ cluster: 'mycluster', baseDir: cwd })).toEqual({ file: own, left: [] });
  expect(existsSync(own)).toBe(false);
  expect(unmergeKubeconfig({ cluster: 'mycluster', baseDir: cwd })).toBe(undefined);
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
