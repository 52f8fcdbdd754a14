import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { BASE, changed, plus } from '../../test/configs/cases.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { hostsOf } from '../model/cluster/index.ts';
import { loadConfig } from './load.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../../test/configs/${name}`, import.meta.url));

async function load(text: string): Promise<Cluster> {
  const { cluster, problems } = await loadConfig({ text, file: 'cluster.yaml' });
  expect(problems.filter((one) => one.severity === 'error')).toEqual([]);
  return cluster!;
}

describe("the user's own document", () => {
  test('each of its mistakes is explained, at its place', async () => {
    const { cluster, problems } = await loadConfig(fixture('seed-002.yaml'));
    expect(cluster).toBeUndefined();
    const errors = problems.filter((one) => one.severity === 'error');
    expect(errors.map((one) => `${one.at.line}:${one.at.column} ${one.code}`)).toEqual([
      '15:57 KX2403', // node4 … node6 repeat the IPv6 address of node3
      '16:57 KX2403',
      '17:57 KX2403',
      '18:57 KX2403', // node7 and node8 that of node1
      '19:57 KX2403',
      '20:59 KX2403', // node10 … node13 that of node2
      '21:59 KX2403',
      '22:59 KX2403',
      '23:59 KX2403',
      '34:7 KX2405', // node[8:10] without node9
      '53:27 KX2212', // haproxy| nginx | kube-vip
      '53:27 KX2509', // beside an external load balancer
      '61:5 KX2505', // no virtual IP
      '91:14 KX2101', // full-width colons
      '92:17 KX2101',
      '93:16 KX2101',
    ]);
    expect(errors.find((one) => one.code === 'KX2405')?.params).toEqual({
      role: 'worker',
      host: 'node9',
      nearby: 'node8, node10',
    });
    const warnings = problems.filter((one) => one.severity === 'warning').map((one) => one.code);
    expect(warnings).toEqual(['KX2901', 'KX2905', 'KX2905', 'KX2905', 'KX2906', 'KX2907']);
  });

  test('corrected it loads', async () => {
    const { cluster, problems } = await loadConfig(fixture('seed-002-corrected.yaml'));
    expect(problems.filter((one) => one.severity === 'error')).toEqual([]);
    const spec = cluster!.spec;
    expect(spec.roleGroups).toEqual({
      etcd: ['node1', 'node2', 'node3'],
      master: ['node4', 'node5', 'node6'],
      worker: ['node7', 'node8', 'node9', 'node10'],
      registry: ['node11'],
      loadbalancer: ['node12', 'node13'],
    });
    expect(spec.hosts[0]).toMatchObject({
      name: 'node1',
      internal: { list: ['172.16.0.2', '2022::2'], ipv4: '172.16.0.2', ipv6: '2022::2' },
      roles: ['etcd'],
      ssh: { user: 'ubuntu', port: 8022, bastions: [] },
    });
    expect(spec.hosts[1]?.labels).toEqual({ disk: 'SSD', role: 'backend' });
    expect(spec.controlPlaneEndpoint).toMatchObject({
      externalLoadBalancer: 'kubexm-kh',
      internalLoadbalancer: 'none',
      address: { list: ['172.16.0.100'] },
    });
    expect(spec.kubernetes.containerRuntime).toEqual({ type: 'containerd', version: '1.7.6' });
    expect(spec.kubernetes.featureGates).toEqual({ RotateKubeletServerCertificate: true });
    expect(spec.kubernetes.kubeProxyConfiguration.ipvs?.excludeCIDRs).toEqual(['172.16.0.0/24']);
    expect(spec.kubernetes.nodeCidrMaskSizeIPv6).toBe(120);
    expect(spec.registry).toMatchObject({
      type: 'registry',
      registryMirrors: ['aliyun.com'],
      insecureRegistries: ['aaa.com'],
    });
    expect(spec.network.kubePodsCIDR.ipv6).toBe('fd85:ee78:d8a6:8607::1:0/112');
    expect(spec.addons.map((addon) => addon.name)).toEqual(['metallb', 'longhorn']);
    expect(cluster!.metadata.name).toBe('mycluster');
  });

  test('only its mistakes differ', () => {
    const seed = new Set(readFileSync(fixture('seed-002.yaml'), 'utf8').split('\n'));
    const corrected = readFileSync(fixture('seed-002-corrected.yaml'), 'utf8').split('\n');
    // Nine addresses, one host more, two load balancer fields, three colons.
    expect(corrected.filter((line) => !seed.has(line))).toHaveLength(9 + 1 + 2 + 3);
  });

  test('the parts that it shows as comments load too', async () => {
    const text = readFileSync(fixture('seed-002-corrected.yaml'), 'utf8');
    const start = text.indexOf('  #host:');
    const tail = text.slice(start).replace(/^ {2}#/gm, '  ');
    const { cluster, problems } = await loadConfig({ text: text.slice(0, start) + tail, file: 'cluster.yaml' });
    expect(problems.filter((one) => one.severity === 'error')).toEqual([]);
    expect(cluster!.spec.extra.hosts).toEqual([{ domain: 'bhy.example.com', address: '192.168.1.100' }]);
    expect(cluster!.spec.dns.coredns.externalZones).toHaveLength(3);
    expect(cluster!.spec.dns.coredns.externalZones[0]).toMatchObject({
      zones: ['example.com', 'example.io:1053'],
      cache: 5,
    });
    expect(cluster!.spec.dns.coredns.upstreamDNSServers).toEqual(['8.8.8.8', '1.2.4.8', '114.114.114.114']);
    expect(cluster!.spec.dns.nodelocaldns.externalZones[2]?.rewrite).toEqual([
      'name substring website.tld website.namespace.svc.cluster.local',
    ]);
  });
});

describe('what is accepted silently', () => {
  test.each([
    ['Windows line ends', BASE.replaceAll('\n', '\r\n')],
    ['old Mac line ends', BASE.replaceAll('\n', '\r')],
    ['byte order mark', `\ufeff${BASE}`],
    ['leading separator', `---\n${BASE}`],
    ['separator and end mark', `---\n${BASE}...\n`],
    ['no line end at the end', BASE.trimEnd()],
    ['keys without values', BASE.replace('  etcd:', '  addons:\n  system:\n    rpms:\n    debs: ~\n  etcd:')],
    [
      'Chinese in comments and texts',
      plus('dns:\n  coredns:\n    additionalConfigs: |\n      # 注意：全角，没关系\n      log\n').replace(
        'kind:',
        '# 说明：集群（测试）\nkind:',
      ),
    ],
    [
      'JSON',
      JSON.stringify({
        apiVersion: 'kubexm.mensylisir.io/v1alpha1',
        kind: 'Cluster',
        metadata: { name: 'demo' },
        spec: {
          hosts: [{ name: 'node1', address: '172.16.0.2' }],
          roleGroups: { master: ['node1'] },
          kubernetes: { version: 'v1.34.2' },
          etcd: { type: 'kubeadm' },
        },
      }),
    ],
    [
      'tab as separator and in comments',
      BASE.replace('name: demo', 'name:\tdemo\t# a\ttab').replace('kind:', '\t# tab\nkind:'),
    ],
    ['anchors and aliases', changed(['[node1]', '&m [node1]'], ['[node2, node3]', '[node2, node3]\n    etcd: *m'])],
  ])('%s', async (_, text) => {
    const { problems, cluster } = await loadConfig({ text, file: 'cluster.yaml' });
    expect(problems).toEqual([]);
    expect(cluster?.metadata.name).toBe('demo');
  });

  test('merge keys: own keys win', async () => {
    const { spec } = await load(
      changed(
        ['{name: node1, address: 172.16.0.2}', '&d {name: node1, address: 172.16.0.2, user: admin, port: 2222}'],
        ['{name: node2, address: 172.16.0.3}', '{<<: *d, name: node2, address: 172.16.0.3, port: 22}'],
      ),
    );
    expect(spec.hosts[1]).toMatchObject({ name: 'node2', address: '172.16.0.3', ssh: { user: 'admin', port: 22 } });
  });
});

describe('what becomes of a document', () => {
  test('defaults', async () => {
    const { spec } = await load(BASE);
    expect(spec.kubernetes).toMatchObject({
      type: 'kubeadm',
      version: 'v1.34.2',
      maxPods: 110,
      podPidsLimit: 10_000,
      nodeCidrMaskSize: 24,
      proxyMode: 'auto',
      clusterName: 'cluster.local',
      containerRuntime: { type: 'containerd' },
    });
    expect(spec.etcd).toMatchObject({
      heartbeatInterval: 250,
      electionTimeout: 5000,
      snapshotCount: 10_000,
      autoCompactionRetention: 8,
      metrics: 'basic',
      quotaBackendBytes: 2_147_483_648,
      maxRequestBytes: 1_572_864,
      maxSnapshots: 5,
      maxWals: 5,
      logLevel: 'info',
      dataDir: '/var/lib/etcd',
    });
    expect(spec.network).toMatchObject({
      plugin: 'flannel',
      kubePodsCIDR: { list: ['10.233.64.0/18'] },
      kubeServiceCIDR: { list: ['10.233.0.0/18'] },
      flannel: { backend: 'vxlan' },
    });
    expect(spec.controlPlaneEndpoint).toMatchObject({
      externalLoadBalancer: 'none',
      internalLoadbalancer: 'none',
      port: 6443,
      externalDNS: false,
    });
    expect(spec.registry).toMatchObject({
      type: 'none',
      containerdDataDir: '/var/lib/containerd',
      dockerDataDir: '/var/lib/docker',
      registryDataDir: '/mnt/registry',
    });
    expect(spec.dns.nodelocaldns.enabled).toBe(false);
    expect(spec.roleGroups.etcd).toEqual(['node1']);
    expect(spec.hosts[0]?.roles).toEqual(['etcd', 'master']);
  });

  test('roles of hosts and groups are one thing, in the order of the groups', async () => {
    const cluster = await load(
      changed(['worker: [node2, node3]', 'worker: [node3]'], ['172.16.0.3}', '172.16.0.3, roles: [workers]}']),
    );
    expect(cluster.spec.roleGroups.worker).toEqual(['node3', 'node2']);
    expect(hostsOf(cluster, 'worker').map((host) => host.name)).toEqual(['node3', 'node2']);
  });

  test('versions get their v', async () => {
    expect((await load(changed(['v1.34.2', '1.34.2']))).spec.kubernetes.version).toBe('v1.34.2');
  });

  test.each([
    ['10.0.0.0/16,fd85::/56', 64],
    ['10.0.0.0/16,fd85::/64', 72],
    ['10.0.0.0/16,fd85::/112', 120],
    ['10.0.0.0/16,fd85::/40', 48],
  ])('the IPv6 part of a node of %s is /%d', async (pods, mask) => {
    const text = plus(
      `network: {kubePodsCIDR: "${pods}", kubeServiceCIDR: "10.233.0.0/18,fd99::/112"}\n`,
      ['172.16.0.2}', '172.16.0.2, internalAddress: "172.16.0.2,2022::2"}'],
      ['172.16.0.3}', '172.16.0.3, internalAddress: "172.16.0.3,2022::3"}'],
      ['172.16.0.4}', '172.16.0.4, internalAddress: "172.16.0.4,2022::4"}'],
    );
    expect((await load(text)).spec.kubernetes.nodeCidrMaskSizeIPv6).toBe(mask);
  });
});

test('all problems come at once, in the order of the file', async () => {
  const text = changed(
    ['kind: Cluster', 'kind： cluster'],
    ['172.16.0.2}', '172.16.0.300, prot: 22}'],
    ['[node2, node3]', '[node2，node9]'],
    ['v1.34.2', '1.30\n    maxPods: many'],
  );
  const { problems } = await loadConfig({ text, file: 'cluster.yaml' });
  expect(problems.map((one) => `${one.at.line} ${one.code}`)).toEqual([
    '2 KX2101',
    '2 KX2211',
    '7 KX2301',
    '7 KX2201',
    '12 KX2102',
    '12 KX2405',
    '14 KX2317',
    '15 KX2206',
  ]);
});

test('more than a hundred problems of a kind are counted, not listed', async () => {
  const hosts = Array.from({ length: 150 }, (_, i) => `    - {name: Node_${i}, address: 10.0.${i}.2}`).join('\n');
  const text = BASE.replace(/ {4}- \{name: node1[\s\S]*?(?= {2}roleGroups)/, `${hosts}\n`);
  const { problems } = await loadConfig({ text, file: 'cluster.yaml' });
  expect(problems.filter((one) => one.code === 'KX2309')).toHaveLength(100);
  expect(problems.find((one) => one.code === 'KX2099')?.params).toEqual({ count: 50, code: 'KX2309' });
});
