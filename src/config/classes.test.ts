import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BASE, changed, plus } from '../../test/configs/cases.ts';
import { endpoint, etcd, kube } from '../../test/configs/rule-helpers.ts';
import { runs } from '../../test/rig/thorough.ts';
import { loadConfig } from './load.ts';

/** A class of configurations that cannot work: random members of it, each as a text, and the codes that may refuse it. */
interface Class {
  readonly name: string;
  readonly codes: readonly string[];
  readonly member: fc.Arbitrary<string>;
}

const part = fc.integer({ min: 0, max: 255 });
const host = (text: string): string => changed(['172.16.0.2}', `172.16.0.2, ${text}}`]);
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const special = fc.oneof(
  ...[0, 127].map((first) =>
    fc.tuple(part, fc.integer({ min: 16, max: 24 })).map(([b, p]) => net(`${first}.${b}.0.0`, p)),
  ),
  fc.integer({ min: 16, max: 24 }).map((p) => net('169.254.0.0', p)),
  fc.tuple(fc.integer({ min: 224, max: 255 }), fc.integer({ min: 12, max: 24 })).map(([a, p]) => net(`${a}.0.0.0`, p)),
);

function net(address: string, prefix: number): string {
  const bytes = address.split('.').map(Number);
  const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  const kept = Math.floor(value / 2 ** (32 - prefix)) * 2 ** (32 - prefix);
  return `${[24, 16, 8, 0].map((shift) => Math.floor(kept / 2 ** shift) % 256).join('.')}/${prefix}`;
}

const CLASSES: readonly Class[] = [
  {
    name: 'reserved ports',
    codes: ['KX2521'],
    member: fc
      .oneof(
        fc.constantFrom(22, 53, 2379, 2380, 10_250, 10_256, 10_257, 10_259),
        fc.integer({ min: 30_000, max: 32_767 }),
      )
      .map((port) => endpoint(`port: ${port}\n`)),
  },
  {
    name: 'names of the control plane that are taken',
    codes: ['KX2421', 'KX2422', 'KX2423'],
    member: fc
      .oneof(
        fc.constantFrom('node1', 'localhost', 'ip6-loopback', 'kubernetes', 'kubernetes.default.svc', 'cluster.local'),
        word.map((name) => `${name}.cluster.local`),
        word.map((name) => `${name}.localhost`),
      )
      .map((name) => endpoint(`domain: ${name}\n`)),
  },
  {
    name: 'names of hosts that mean something else',
    codes: ['KX2310', 'KX2336', 'KX2422'],
    member: fc
      .oneof(
        fc.tuple(part, part, part, part).map((parts) => parts.join('.')),
        part.map(String),
        fc.integer({ min: 0, max: 2 ** 31 }).map((number) => `0x${number.toString(16)}`),
        fc.constantFrom('all', 'master', 'worker', 'etcd', 'registry', 'loadbalancer', 'ip6-allnodes', 'local'),
        word.map((name) => `${name}.cluster.local`),
      )
      .map((name) => changed(['name: node3', `name: "${name}"`], ['node2, node3]', 'node2]'])),
  },
  {
    name: 'special networks',
    codes: ['KX2621'],
    member: fc
      .tuple(special, fc.constantFrom('kubePodsCIDR', 'kubeServiceCIDR'))
      .map(([cidr, field]) => plus(`network: {${field}: ${cidr}}\n`)),
  },
  {
    name: 'networks of services that are too small',
    codes: ['KX2622'],
    member: fc.integer({ min: 29, max: 32 }).map((prefix) => plus(`network: {kubeServiceCIDR: 10.96.0.0/${prefix}}\n`)),
  },
  {
    name: 'directories of the system',
    codes: ['KX2334', 'KX2338', 'KX2339'],
    member: fc
      .tuple(
        fc.constantFrom(
          '/tmp',
          '/var/tmp',
          '/boot',
          '/etc',
          '/usr/lib',
          '/root/.ssh',
          '/dev',
          '/run',
          '/var/lib/kubexm',
        ),
        fc.array(fc.oneof(word, fc.constantFrom('.', '')), { maxLength: 3 }),
      )
      .map(([top, below]) => changed(etcd(`type: kubeadm\n    dataDir: ${[top, ...below].join('/')}`))),
  },
  {
    name: 'directories inside each other',
    codes: ['KX2771'],
    member: fc
      .tuple(fc.constantFrom('/var/lib/kubelet', '/var/lib/containerd'), fc.array(word, { maxLength: 3 }))
      .map(([top, below]) => changed(etcd(`type: kubeadm\n    dataDir: ${[top, ...below].join('/')}`))),
  },
  {
    name: 'logins with characters of a shell',
    codes: ['KX2337'],
    member: fc
      .tuple(word, fc.constantFrom(...' ;|&$`"\'\\<>(){}[]*?!#~^:/,%='.split('')), word)
      .map(([a, char, b]) => host(`user: ${JSON.stringify(a + char + b)}`)),
  },
  {
    name: 'logins that look like options',
    codes: ['KX2337'],
    member: word.map((name) => host(`user: "-${name}"`)),
  },
  {
    name: 'labels of Kubernetes itself',
    codes: ['KX2424', 'KX2425'],
    member: fc
      .constantFrom(
        'kubernetes.io/hostname',
        'kubernetes.io/arch',
        'kubernetes.io/os',
        'node-role.kubernetes.io/worker',
      )
      .map((label) => host(`labels: {${label}: ""}`)),
  },
  {
    name: 'flags that no component has',
    codes: ['KX2751', 'KX2752', 'KX2753'],
    member: fc
      .tuple(
        fc.constantFrom('kubeletArgs', 'apiserverArgs', 'controllerManagerArgs', 'schedulerArgs', 'kubeProxyArgs'),
        word,
      )
      .map(([list, name]) => changed(kube(`${list}: [--x-${name}-x=1]`))),
  },
  {
    name: 'flags with wrong values',
    codes: ['KX2757'],
    member: fc
      .tuple(
        fc.constantFrom(
          'kubeletArgs: [--event-burst',
          'apiserverArgs: [--event-ttl',
          'apiserverArgs: [--profiling',
          'controllerManagerArgs: [--concurrent-gc-syncs',
        ),
        word.map((text) => `x${text}`),
      )
      .map(([flag, value]) => changed(kube(`${flag}=${value}]`))),
  },
  {
    name: 'fields of the kubelet that do not exist',
    codes: ['KX2760', 'KX2761', 'KX2762'],
    member: word.map((name) => changed(kube(`kubeletConfiguration: {x${name}X: 1}`))),
  },
  {
    name: 'Corefiles that do not parse',
    codes: ['KX2781', 'KX2782', 'KX2784'],
    member: fc
      .tuple(
        fc.constantFrom('additionalConfigs', 'rewriteBlock'),
        fc.constantFrom('}', 'log {', '{ }', 'x "', 'nothing a'),
      )
      .map(([field, text]) => plus(`dns: {coredns: {${field}: ${JSON.stringify(text)}}}\n`)),
  },
  {
    name: 'DNS servers that lead back',
    codes: ['KX2788'],
    member: fc
      .oneof(
        fc.tuple(part, part, part).map((parts) => `127.${parts.join('.')}`),
        fc.tuple(fc.integer({ min: 0, max: 127 }), part).map((parts) => `10.233.${parts.join('.')}`),
      )
      .map((address) => plus(`dns: {coredns: {upstreamDNSServers: [${address}]}}\n`)),
  },
  {
    name: 'absurd numbers',
    codes: ['KX2213', 'KX2623', 'KX2624', 'KX2625'],
    member: fc.oneof(
      fc.integer({ min: 1, max: 1279 }).map((mtu) => plus(`network: {plugin: flannel, flannel: {mtu: ${mtu}}}\n`)),
      fc.integer({ min: 0, max: 63 }).map((limit) => changed(kube(`podPidsLimit: ${limit}`))),
      fc.integer({ min: 0, max: 9 }).map((pods) => changed(kube(`maxPods: ${pods}`))),
      fc
        .integer({ min: 1, max: 60_000_000 })
        .map((size) => changed(etcd(`type: kubeadm\n    quotaBackendBytes: ${size}`))),
    ),
  },
];

describe('every member of a class is refused, at its place and with its reason', () => {
  test.each(CLASSES.map((one) => [one.name, one] as const))('%s', async (_name, { codes, member }) => {
    await fc.assert(
      fc.asyncProperty(member, async (text) => {
        const { cluster, problems } = await loadConfig({ text, file: 'cluster.yaml' });
        const found = problems.filter(({ code }) => codes.includes(code));
        expect(found, JSON.stringify(problems)).not.toHaveLength(0);
        expect(cluster).toBeUndefined();
        // Not at the beginning of the file, but where the value is.
        for (const { at } of found) expect(at.line).toBeGreaterThan(5);
      }),
      { numRuns: runs(60) },
    );
  });
});

/** What looks similar and works. */
const GOOD: readonly (readonly [string, string])[] = [
  ['the example', BASE],
  ['all names of a domain in a certificate', changed(kube('apiserverCertExtraSans: ["*.example.com", 10.0.0.1]'))],
  ['port 443', endpoint('port: 443\n')],
  ['port 8443', endpoint('port: 8443\n')],
  [
    'a port of kubelets on a balancer alone',
    endpoint('externalLoadBalancer: kubexm\nlb_address: 172.16.0.99\nport: 10250\n', [
      'worker: [node2, node3]',
      'worker: [node2]\n    loadbalancer: [node3]',
    ]),
  ],
  [
    'a port outside a smaller range',
    endpoint('port: 32000\n', kube('apiserverArgs: [--service-node-port-range=30000-31000]')),
  ],
  ['a name that begins like a word', changed(['name: node3', 'name: master-3'], ['node3]', 'master-3]'])],
  ['a name with digits', changed(['name: node3', 'name: 10-0-0-3'], ['node3]', '10-0-0-3]'])],
  ['a user of a directory', host('user: me@example.com')],
  ['a user with dots', host('user: j.doe-2')],
  ['a zone as label', host('labels: {topology.kubernetes.io/zone: a, node-role.kubernetes.io/control-plane: ""}')],
  ['the role of a worker', changed(['172.16.0.3}', '172.16.0.3, labels: {node-role.kubernetes.io/worker: ""}}'])],
  ['taints', host('taints: ["gpu=true:NoSchedule", "example.com/slow:PreferNoSchedule", "gpu:NoExecute"]')],
  ['sixteen services', plus('network: {kubeServiceCIDR: 10.96.0.0/28}\n')],
  ['a shared network', plus('network: {kubePodsCIDR: 100.64.0.0/16}\n')],
  ['a small MTU', plus('network: {plugin: flannel, flannel: {mtu: 1280}}\n')],
  ['a large MTU', plus('network: {plugin: flannel, flannel: {mtu: 8950}}\n')],
  ['no limit of processes', changed(kube('podPidsLimit: -1'))],
  ['ten pods', changed(kube('maxPods: 10'))],
  ['directories that only begin alike', changed(etcd('type: kubeadm\n    dataDir: /var/lib/kubelet2'))],
  ['a directory of a mount', changed(etcd('type: kubeadm\n    dataDir: /mnt/tmp/etcd'))],
  ['an etcd without TLS', changed(etcd('type: external\n    external: {endpoints: ["http://10.0.0.9:2379"]}'))],
  [
    'an etcd with TLS',
    changed(
      etcd(
        'type: external\n    external: {endpoints: ["https://10.0.0.9:2379"], caFile: /a, certFile: /b, keyFile: /c}',
      ),
    ),
  ],
  [
    'flags of every component',
    changed(
      kube(
        [
          'kubeletArgs: [--v=3, --event-burst=77, --root-dir=/data/kubelet, --housekeeping_interval=10s]',
          'apiserverArgs: [--event-ttl=2h, --audit-log-mode=batch, --profiling=false, --etcd-prefix=/guest]',
          'controllerManagerArgs: [--terminated-pod-gc-threshold=321, --kube-api-burst=55, --bind-address=0.0.0.0]',
          'schedulerArgs: [--v=1, --bind-address=0.0.0.0, --leader-elect]',
          'kubeProxyArgs: [--v=2]',
        ].join('\n    '),
      ),
    ),
  ],
  [
    'a flag that may be given several times',
    changed(kube('apiserverArgs: [--enable-admission-plugins=A, --enable-admission-plugins=B]')),
  ],
  [
    'fields of the kubelet and of kube-proxy',
    changed(
      kube(
        [
          'kubeletConfiguration:',
          '  apiVersion: kubelet.config.k8s.io/v1beta1',
          '  kind: KubeletConfiguration',
          '  serializeImagePulls: false',
          '  imageGCHighThresholdPercent: 100',
          '  evictionHard: {memory.available: 100Mi, nodefs.available: 1%}',
          '  syncFrequency: 1m30s',
          '  authentication: {anonymous: {enabled: false}, webhook: {cacheTTL: 2m}}',
          '  tlsCipherSuites: [TLS_AES_128_GCM_SHA256]',
          '  logging: {format: json, flushFrequency: 5s, verbosity: 2}',
          'kubeProxyConfiguration: {conntrack: {maxPerCore: 0, min: 0}, iptables: {minSyncPeriod: 2s}}',
        ].join('\n    '),
      ),
    ),
  ],
  ['nftables where it is beta', changed(['v1.34.2', 'v1.31.0\n    proxyMode: nftables'])],
  [
    'a Corefile',
    plus(
      [
        'dns:',
        '  coredns:',
        '    additionalConfigs: |',
        '      # what is asked',
        '      log . {',
        '        class error',
        '      }',
        '      template IN A example.org {',
        '        answer "{{ .Name }} 60 IN A 10.0.0.1"',
        '      }',
        '    rewriteBlock: |',
        '      rewrite stop {',
        '        name regex (.*)\\.my\\.domain {1}.svc.cluster.local',
        '        answer auto',
        '      }',
        '      rewrite continue name suffix .a.io .b.io',
        '    externalZones:',
        '      - {zones: [_msdcs.example.com, "example.io:1053", 10.9.0.0/16], nameservers: [10.0.0.53, "10.0.0.54:1053", "2022::5"],',
        '         rewrite: [name suffix .x.io .y.io]}',
        '    upstreamDNSServers: [1.1.1.1, 10.0.0.53]',
        '',
      ].join('\n'),
    ),
  ],
  ['an entry of a registry', plus('extra: {hosts: [{domain: hub.example.com, address: 10.0.0.1}]}\n')],
  ['the control plane for pods', plus('dns: {dnsEtcHosts: "172.16.0.2 lb.kubexm.local"}\n')],
];

test.each(GOOD)('%s is accepted', async (_name, text) => {
  const { problems } = await loadConfig({ text, file: 'cluster.yaml' });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
});

test('taints are read as Kubernetes writes them', async () => {
  const text = host('taints: ["gpu=true:NoSchedule", "slow:NoExecute", "empty=:NoExecute"]');
  const { cluster } = await loadConfig({ text, file: 'cluster.yaml' });
  expect(cluster?.spec.hosts[0]?.taints).toEqual([
    { key: 'gpu', value: 'true', effect: 'NoSchedule' },
    { key: 'slow', effect: 'NoExecute' },
    { key: 'empty', value: '', effect: 'NoExecute' },
  ]);
  expect(cluster?.spec.hosts[1]?.taints).toEqual([]);
});
