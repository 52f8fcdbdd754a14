import { expect, test } from 'vitest';
import { BASE, plus } from '../../test/configs/cases.ts';
import { createCluster } from '../pipeline/index.ts';
import { loadConfig } from './load.ts';
import { renderProblems } from './render.ts';
import { unsupportedDefaults, unsupportedFields } from './support.ts';

const CORE = ['spec.hosts.**', 'spec.roleGroups.**', 'spec.kubernetes.version', 'spec.etcd.type'];

async function refused(text: string, supported: readonly string[]): Promise<readonly string[]> {
  const { source, cluster } = await loadConfig({ text, file: 'cluster.yaml' });
  expect(cluster).toBeDefined();
  return unsupportedFields(source, supported, 'create cluster').map(
    (one) => `${one.at.line}:${one.at.column} ${one.params['field']}`,
  );
}

test('nothing is refused that a pipeline acts on', async () => {
  expect(await refused(BASE, CORE)).toEqual([]);
  expect(await refused(BASE, ['spec.**'])).toEqual([]);
  expect(await refused(BASE, ['spec.hosts[].name', 'spec.hosts.*.address', ...CORE.slice(1)])).toEqual([]);
});

test('a field that the user set is refused by name, at its place', async () => {
  const text = plus('storage:\n  openebs:\n    basePath: /data\nkubernetesX: 1\n').replace('  kubernetesX: 1\n', '');
  expect(await refused(text, CORE)).toEqual(['17:3 spec.storage']);
  const { source } = await loadConfig({ text, file: 'cluster.yaml' });
  const problems = unsupportedFields(source, CORE, 'create cluster');
  expect(problems[0]).toMatchObject({ code: 'KX4010', severity: 'error' });
  expect(renderProblems(problems, source, { lang: 'en', color: false })).toContain(
    'create cluster cannot act on spec.storage yet',
  );
});

test('only the part that is not supported is named', async () => {
  const text = plus('network: {plugin: flannel, flannel: {mtu: 1400, backend: host-gw}}\nssh: {user: me}\n').replace(
    '172.16.0.2}',
    '172.16.0.2, labels: {a: b}}',
  );
  expect(
    await refused(text, [
      'spec.hosts[].name',
      'spec.hosts[].address',
      ...CORE.slice(1),
      'spec.network.plugin',
      'spec.network.flannel.backend',
      'spec.ssh.**',
    ]),
  ).toEqual(['7:42 spec.hosts[0].labels', '17:40 spec.network.flannel.mtu']);
});

test('values can be limited', async () => {
  const text = plus('network: {plugin: cilium}\n');
  expect(await refused(text, [...CORE, 'spec.network.plugin=flannel|cilium'])).toEqual([]);
  expect(await refused(text, [...CORE, 'spec.network.plugin=flannel|calico'])).toEqual(['17:13 spec.network.plugin']);
});

test('what asks for nothing is not refused', async () => {
  const text = plus('addons: []\nregistry: {namespaceOverride: "", auths: {}}\nsystem:\n  rpms:\n');
  expect(await refused(text, CORE)).toEqual([]);
});

test('the path is named as it was written', async () => {
  const text = plus('loadBalancer: {mode: internal, internal: {type: haproxy}}\n');
  expect(await refused(text, CORE)).toEqual(['17:45 spec.loadBalancer.internal.type']);
  expect(await refused(text, [...CORE, 'spec.controlPlaneEndpoint.internalLoadbalancer'])).toEqual([]);
});

test('a value that would do is named, for what is written and for a default', async () => {
  const text = plus('network: {plugin: cilium}\n');
  const { source, cluster } = await loadConfig({ text, file: 'cluster.yaml' });
  const only = ['spec.network.plugin=flannel|calico', 'spec.dns.nodelocaldns.enabled=true'];
  const written = unsupportedFields(source, [...CORE, ...only], 'create cluster');
  const defaults = unsupportedDefaults({ cluster: cluster!, source }, only, 'create cluster');
  const shown = renderProblems([...written, ...defaults], source, { lang: 'en', color: false });
  expect(shown).toContain('KX4041: create cluster cannot act on spec.network.plugin: cilium yet');
  expect(shown).toContain(
    'fix: Write spec.network.plugin: flannel into the file. What can be done yet: flannel, calico.',
  );
  expect(shown).toContain('fix: Write spec.dns.nodelocaldns.enabled: true into the file.');
  expect(defaults).toHaveLength(1);
});

test('fields of certificates that a pipeline does not make are refused', async () => {
  const text = plus('pki: {keyAlgorithm: rsa-4096, etcd: {caFile: a.crt, keyFile: a.key}}\n');
  const withoutEtcd = createCluster.actsOn.filter((field) => !field.startsWith('spec.pki.etcd'));
  expect(await refused(text, withoutEtcd)).toEqual(['17:33 spec.pki.etcd']);
  expect(await refused(text, createCluster.actsOn)).toEqual([]);
});

test.each([
  ['a default that is written out asks for nothing', 'registry: {dockerDataDir: /var/lib/docker}\n', []],
  ['another value does', 'registry: {dockerDataDir: /data/docker}\n', ['17:3 spec.registry']],
  [
    'and so does a section that is only there if it is wanted',
    'storage: {openebs: {basePath: /var/openebs/local}}\n',
    ['17:3 spec.storage'],
  ],
])('%s', async (_name, more, expected) => {
  expect(await refused(plus(more), CORE)).toEqual(expected);
});

test('a default of which only other values are supported is refused, also when it is written out', async () => {
  const text = plus('network: {plugin: calico}\n');
  expect(await refused(text, [...CORE, 'spec.network.plugin=flannel'])).toEqual(['17:13 spec.network.plugin']);
});
