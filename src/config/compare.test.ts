import { expect, test } from 'vitest';
import { BASE, changed, plus } from '../../test/configs/cases.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { diffConfigs } from './diff.ts';
import { configFingerprint } from './fingerprint.ts';
import { loadConfig } from './load.ts';

async function load(text: string): Promise<Cluster> {
  return (await loadConfig({ text, file: 'cluster.yaml' })).cluster!;
}
const withPassword = (text: string) => changed(['172.16.0.2}', `172.16.0.2, password: "${text}"}`]);

test.each([
  ['comments', BASE.replace('kind:', '# more\nkind:')],
  ['order of keys', BASE.replace(/(kind: Cluster\n)(metadata:\n {2}name: demo\n)/, '$2$1')],
  ['spelling', changed(['master:', 'control-plane:'], ['v1.34.2', '1.34.2'], ['[node2, node3]', '["node[2:3]"]'])],
  ['defaults written out', plus('network: {plugin: flannel, kubePodsCIDR: 10.233.64.0/18}\n')],
])('the fingerprint does not change with %s', async (_, text) => {
  expect(configFingerprint(await load(text))).toBe(configFingerprint(await load(BASE)));
});

test('the fingerprint does not change with secrets, but with everything else', async () => {
  const one = configFingerprint(await load(withPassword('one')));
  expect(configFingerprint(await load(withPassword('two')))).toBe(one);
  expect(configFingerprint(await load(withPassword('env:PW')))).toBe(one);
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(configFingerprint(await load(BASE))).not.toBe(one);
  expect(configFingerprint(await load(changed(['v1.34.2', 'v1.34.3'])))).not.toBe(configFingerprint(await load(BASE)));
});

test('what differs is listed by path, hosts by name', async () => {
  const after = changed(
    ['v1.34.2', 'v1.34.3'],
    ['    - {name: node1, address: 172.16.0.2}\n', ''],
    ['{name: node2, address: 172.16.0.3}', '{name: node2, address: 172.16.0.3, labels: {disk: SSD}}'],
    ['master: [node1]', 'master: [node2]'],
    ['[node2, node3]', '[node3]'],
  );
  const changes = diffConfigs(await load(BASE), await load(after));
  expect(changes).toContainEqual({ path: 'spec.kubernetes.version', before: 'v1.34.2', after: 'v1.34.3' });
  expect(changes).toContainEqual({ path: 'spec.hosts.node2.labels.disk', before: undefined, after: 'SSD' });
  expect(changes).toContainEqual({ path: 'spec.roleGroups.worker', before: '["node2","node3"]', after: '["node3"]' });
  expect(changes.find((one) => one.path === 'spec.hosts.node1')).toMatchObject({ after: undefined });
  expect(changes.filter((one) => one.path.startsWith('spec.hosts.node3'))).toEqual([]);
});

test('equal configurations differ in nothing', async () => {
  expect(diffConfigs(await load(BASE), await load(`# other\n${BASE}`))).toEqual([]);
  const cluster = await load(changed(['172.16.0.2}', '172.16.0.2, password: hunter2, sudoPassword: "env:SUDO"}']));
  const saved = JSON.parse(JSON.stringify(cluster)) as Cluster;
  expect(diffConfigs(saved, cluster)).toEqual([]);
});

test('secrets are masked, also in content that is not checked', async () => {
  const changes = diffConfigs(await load(withPassword('hunter1')), await load(withPassword('hunter2')));
  expect(changes).toEqual([{ path: 'spec.hosts.node1.ssh.password', before: '••••••', after: '••••••' }]);
  const free = (text: string) =>
    plus(
      `addons: [{name: mine, type: helm, chart: oci://r/x, values: {adminPassword: ${text}, deep: {token: ${text}}}}]\n`,
    );
  const more = diffConfigs(await load(free('hunter1')), await load(free('hunter2')));
  expect(JSON.stringify(more)).not.toContain('hunter');
  expect(more).toHaveLength(2);
  const whole = diffConfigs(await load(BASE), await load(free('hunter2')));
  expect(JSON.stringify(whole)).not.toContain('hunter');
});
