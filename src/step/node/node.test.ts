import { beforeAll, describe, expect, test } from 'vitest';
import { balancedBy } from '../../../test/plans/create-cases.ts';
import { configFor, planContextFor, type Recorded, recordedFacts } from '../../../test/support/plan-context.ts';
import { nodePackages, volumePackages } from '../../host/os/node-packages.ts';
import type { Facts } from '../../model/facts.ts';
import type { PlanContext } from '../../plan/layers.ts';
import { hostsLines } from './hosts-file.ts';
import { noteTimeService, ownTimeService, rivalsOf, timeServers } from './index.ts';
import { defaults, forwarding, neededModules } from './kernel.ts';
import { timeLinesFor } from './time-servers.ts';

const contextOf = (more: string, workers = 1) => planContextFor(configFor({ workers, more }));
const specOf = async (more: string) => (await contextOf(more)).cluster.spec;

describe('/etc/hosts', () => {
  const both = '10.1.0.1 cp1\n10.2.0.1 node1\n10.1.0.1 lb.kubexm.local';

  test.each<[string, string, string]>([
    ['hosts only', '', both],
    [
      'more names',
      '  extra: {hosts: [{domain: a.example.com, address: 192.0.2.1}, {domain: b, address: "2001:db8::1"}]}',
      `${both}\n192.0.2.1 a.example.com\n2001:db8::1 b`,
    ],
    [
      'a load balancer that is there',
      '  controlPlaneEndpoint: {externalLoadBalancer: external, lb_address: 192.0.2.9, domain: api.example.com}',
      '10.1.0.1 cp1\n10.2.0.1 node1\n192.0.2.9 api.example.com',
    ],
    [
      'a control plane that DNS knows',
      '  controlPlaneEndpoint: {externalLoadBalancer: external, externalDNS: true, domain: api.example.com}',
      '10.1.0.1 cp1\n10.2.0.1 node1',
    ],
    ['a registry of others', '  registry: {type: external, privateRegistry: hub.example.com}', both],
  ])('%s', async (_, more, lines) => {
    expect(hostsLines(await specOf(more), 'node1')).toBe(lines);
  });

  test.each<[string, string, readonly string[]]>([
    ['by its name, without the port', 'hub.example.com:5000', ['10.2.0.1 hub.example.com']],
    ['by an address needs no name', '10.2.0.1:5000', []],
  ])('a registry that kubexm installs %s', async (_, privateRegistry, lines) => {
    const spec = await specOf('');
    const registry = { ...spec.registry, type: 'registry' as const, privateRegistry };
    const text = hostsLines({ ...spec, registry, roleGroups: { ...spec.roleGroups, registry: ['node1'] } }, 'node1');
    expect(text).toBe([both, ...lines].join('\n'));
  });

  test('two addresses are two lines', async () => {
    const text = configFor().replaceAll(/address: 10\.(\d)\.0\.1/g, '$&, internalAddress: "10.$1.0.1,2001:db8::$1"');
    const { cluster } = await planContextFor(text);
    expect(hostsLines(cluster.spec, 'node1')).toBe(
      '10.1.0.1 cp1\n2001:db8::1 cp1\n10.2.0.1 node1\n2001:db8::2 node1\n10.1.0.1 lb.kubexm.local\n2001:db8::1 lb.kubexm.local',
    );
  });
});

describe('the control plane in /etc/hosts', () => {
  const addressesOn = async (more: string, name: string, change = (text: string) => text) => {
    const text = change(balancedBy(more));
    const { cluster } = await planContextFor(text);
    const lines = hostsLines(cluster.spec, name).split('\n');
    return lines.filter((line) => line.endsWith(' lb.kubexm.local')).map((line) => line.split(' ')[0]);
  };
  const asWorker = (text: string) => text.replace('worker: [node1]', 'worker: [node1, cp3]');
  const dual = (text: string) =>
    text.replaceAll(
      /address: 10\.(\d)\.0\.(\d)\}/g,
      'address: 10.$1.0.$2, internalAddress: "10.$1.0.$2,2001:db8:$1::$2"}',
    );

  test.each(['haproxy', 'nginx'])('%s: a worker asks its own proxy first, then the masters', async (name) => {
    expect(await addressesOn(`internalLoadbalancer: ${name}`, 'node1')).toEqual([
      '127.0.0.1',
      '10.1.0.1',
      '10.1.0.2',
      '10.1.0.3',
    ]);
  });

  test('a master asks itself first, also one that is a worker', async () => {
    const expected = ['10.1.0.3', '10.1.0.1', '10.1.0.2'];
    expect(await addressesOn('internalLoadbalancer: haproxy', 'cp3')).toEqual(expected);
    expect(await addressesOn('internalLoadbalancer: haproxy', 'cp3', asWorker)).toEqual(expected);
  });

  test('with two families both loopback addresses come first', async () => {
    const found = await addressesOn('internalLoadbalancer: haproxy', 'node1', dual);
    expect(found.slice(0, 4)).toEqual(['127.0.0.1', '::1', '10.1.0.1', '2001:db8:1::1']);
  });

  test('a name that DNS knows is still that of the own proxy on nodes', async () => {
    expect((await addressesOn('internalLoadbalancer: haproxy, externalDNS: true', 'node1'))[0]).toBe('127.0.0.1');
  });

  test.each(['cp1', 'node1', 'lb2'])('a virtual IP is the only address on %s', async (name) => {
    expect(await addressesOn('externalLoadBalancer: kubexm-kh, lb_address: 10.3.0.100', name)).toEqual(['10.3.0.100']);
  });
});

describe('time servers', () => {
  const linesOf = async (servers: string, host: string, workers = 1) => {
    const context = await contextOf(`  system: {ntpServers: ${servers}}`, workers);
    const machine = context.hosts.find((one) => one.name === host);
    return timeLinesFor(context.cluster.spec)(machine!).split('\n');
  };
  const SERVING = ['allow 10.1.0.0/24', 'allow 10.2.0.1', 'local stratum 10 orphan'];

  test.each<[string, string, string, readonly string[]]>([
    ['none: those of the system', '[]', 'node1', ['']],
    [
      'outside, with a port, a pool, IPv6',
      '["ntp.example.com:1123", 0.pool.ntp.org, "2001:db8::1", "192.0.2.1:124"]',
      'node1',
      [
        'server ntp.example.com port 1123 iburst prefer trust',
        'pool 0.pool.ntp.org iburst prefer trust',
        'server 2001:db8::1 iburst prefer trust',
        'server 192.0.2.1 port 124 iburst prefer trust',
      ],
    ],
    ['one host, seen by others', '[cp1]', 'node1', ['server 10.1.0.1 iburst minpoll 4 prefer trust']],
    ['one host, on itself', '[cp1]', 'cp1', SERVING],
    ['a host by its address', '[10.1.0.1]', 'cp1', SERVING],
    [
      'outside and a host: the host is for when nobody outside answers',
      '[ntp.example.com, cp1]',
      'node1',
      ['server ntp.example.com iburst prefer trust', 'server 10.1.0.1 iburst minpoll 4'],
    ],
    [
      'outside and a host, on itself',
      '[ntp.example.com, cp1]',
      'cp1',
      ['server ntp.example.com iburst prefer trust', ...SERVING],
    ],
    ['two hosts ask each other', '[cp1, node1]', 'cp1', ['server 10.2.0.1 iburst minpoll 4 prefer trust', ...SERVING]],
  ])('%s', async (_, servers, host, lines) => {
    expect(await linesOf(servers, host)).toEqual(lines);
  });
});

describe('chrony', () => {
  const wants = (facts: Facts) => ({
    note: noteTimeService(facts).want,
    servers: timeServers({ facts, lines: 'server a' }).want,
    service: ownTimeService({ facts, lines: 'server a' }).want,
    others: rivalsOf(facts),
  });
  const want = (unit: string, config: string, others: readonly string[]) => ({
    note: { unit },
    servers: { path: config, content: 'server a' },
    service: { unit, enabled: true, running: 'started', settleSeconds: 0, fingerprint: 'server a' },
    others,
  });

  test.each<[Recorded, Facts['ntp'], ReturnType<typeof want>]>([
    ['debian-12', 'ntpd', want('chrony', '/etc/chrony/chrony.conf', [])],
    ['ubuntu-24.04', 'timesyncd', want('chrony', '/etc/chrony/chrony.conf', [])],
    ['rocky-9', 'chrony', want('chronyd', '/etc/chrony.conf', [])],
    ['rocky-9', 'ntpd', want('chronyd', '/etc/chrony.conf', ['ntpd'])],
    ['opensuse-leap-15.6', 'timesyncd', want('chronyd', '/etc/chrony.conf', ['systemd-timesyncd'])],
  ])('on %s with %s', (system, ntp, expected) => {
    expect(wants(recordedFacts(system, { ntp }))).toEqual(expected);
  });

  test('that runs already is left alone where no servers are named', () => {
    const use = ownTimeService({ facts: recordedFacts('debian-12'), lines: '' });
    expect(use.want).toEqual({ unit: 'chrony', enabled: true, running: 'started', settleSeconds: 0 });
  });
});

describe('packages', () => {
  const NO_MORE = { rpms: ['an-rpm'], debs: ['a-deb', 'socat'], timeZones: false, ipvs: false, components: [] };
  const rhel = ['an-rpm', 'bash-completion', 'chrony', 'conntrack-tools', 'ethtool', 'ipset', 'nftables'];
  const like = (id: string, version: string, family: Facts['os']['family'] = 'rhel') => ({
    os: { id, version, name: id, family },
    packageManager: 'dnf' as const,
  });

  test.each<[string, Pick<Facts, 'os' | 'packageManager'>, readonly string[]]>([
    [
      'Debian',
      recordedFacts('debian-12'),
      // biome-ignore format: one line reads best
      ['a-deb', 'bash-completion', 'chrony', 'conntrack', 'ebtables', 'ethtool', 'ipset', 'iptables', 'nftables', 'socat'],
    ],
    ['Rocky 9', recordedFacts('rocky-9'), [...rhel, 'iptables-nft', 'socat']],
    ['CentOS 8', like('centos', '8'), [...rhel, 'iptables', 'iptables-ebtables', 'socat']],
    ['CentOS 7', like('centos', '7'), ['ebtables', ...rhel, 'iptables', 'socat']],
    ['openEuler', like('openeuler', '22.03'), ['ebtables', ...rhel, 'iptables', 'socat']],
    ['Fedora', like('fedora', '41'), [...rhel, 'iptables-nft', 'socat']],
    ['unknown, with dnf', like('own', '1', 'unknown'), ['ebtables', ...rhel, 'iptables', 'socat']],
    [
      'openSUSE',
      recordedFacts('opensuse-leap-15.6'),
      // biome-ignore format: one line reads best
      ['an-rpm', 'bash-completion', 'chrony', 'conntrack-tools', 'ebtables', 'ethtool', 'ipset', 'iptables', 'nftables', 'socat'],
    ],
  ])('%s', (_, facts, names) => {
    expect(nodePackages(facts, NO_MORE)).toEqual(names.toSorted());
  });

  test.each<[Recorded, readonly string[]]>([
    ['debian-12', ['nfs-common', 'open-iscsi']],
    ['rocky-9', ['iscsi-initiator-utils', 'nfs-utils']],
    ['opensuse-leap-15.6', ['nfs-client', 'open-iscsi']],
  ])('what mounts volumes on %s comes by itself', (system, names) => {
    expect(volumePackages(recordedFacts(system))).toEqual(names);
    for (const name of names) expect(nodePackages(recordedFacts(system), NO_MORE)).not.toContain(name);
  });

  test('the data of time zones come with a time zone', () => {
    const names = (system: Recorded) => nodePackages(recordedFacts(system), { ...NO_MORE, timeZones: true });
    expect(names('debian-12')).toContain('tzdata');
    expect(names('opensuse-leap-15.6')).toContain('timezone');
  });

  test.each<Recorded>(['debian-12', 'rocky-9', 'opensuse-leap-15.6'])('ipvsadm comes with ipvs on %s', (system) => {
    const facts = recordedFacts(system);
    expect(nodePackages(facts, NO_MORE)).not.toContain('ipvsadm');
    expect(nodePackages(facts, { ...NO_MORE, ipvs: true })).toContain('ipvsadm');
  });
});

describe('the kernel', () => {
  let plain: PlanContext;
  beforeAll(async () => {
    plain = await contextOf('');
  });

  test('modules, of ipvs only with ipvs', async () => {
    expect(neededModules(plain.cluster.spec)).toEqual({
      modules: ['overlay', 'br_netfilter'],
      optional: ['nf_conntrack'],
    });
    const { cluster } = await planContextFor(configFor().replace('{version:', '{proxyMode: ipvs, version:'));
    expect(neededModules(cluster.spec).modules).toEqual([
      'overlay',
      'br_netfilter',
      'ip_vs',
      'ip_vs_rr',
      'ip_vs_wrr',
      'ip_vs_sh',
    ]);
  });

  test('forwarding, of IPv6 only where pods have it', async () => {
    const values = {
      'net.ipv4.ip_forward': 1,
      'net.bridge.bridge-nf-call-iptables': 1,
      'net.bridge.bridge-nf-call-ip6tables': 1,
    };
    expect(forwarding(plain.cluster.spec)).toEqual({ file: '99-kubexm-cri.conf', values });
    const spec = plain.cluster.spec;
    const network = { ...spec.network, kubePodsCIDR: { list: ['10.0.0.0/16', 'fd00::/56'], ipv6: 'fd00::/56' } };
    expect(forwarding({ ...spec, network }).values).toEqual({ ...values, 'net.ipv6.conf.all.forwarding': 1 });
  });

  test('what the kubelet insists on, which others may overrule', () => {
    expect(defaults(plain.cluster.spec, '6.1.0-28-amd64')).toEqual({
      file: '99-kubexm-node.conf',
      values: {
        'vm.overcommit_memory': 1,
        'vm.panic_on_oom': 0,
        'kernel.panic': 10,
        'kernel.panic_on_oops': 1,
        'kernel.keys.root_maxkeys': 1_000_000,
        'kernel.keys.root_maxbytes': 25_000_000,
        'fs.inotify.max_user_instances': 8192,
      },
      optional: ['kernel.keys.root_maxkeys', 'kernel.keys.root_maxbytes'],
      mayBeOverridden: true,
    });
  });

  test.each<[string, boolean]>([
    ['3.10.0-1160.el7.x86_64', true],
    ['5.10.0-35-amd64', true],
    ['5.11.0', false],
    ['6.1.0', false],
  ])('watches of files on %s', (kernel, wanted) => {
    expect('fs.inotify.max_user_watches' in defaults(plain.cluster.spec, kernel).values).toBe(wanted);
  });

  test('many machines are many neighbours', async () => {
    const { cluster } = await contextOf('', 300);
    const { values, optional } = defaults(cluster.spec, '6.1.0');
    expect(values).toMatchObject({
      'net.ipv4.neigh.default.gc_thresh1': 80_000,
      'net.ipv6.neigh.default.gc_thresh3': 100_000,
    });
    expect(optional).toContain('net.ipv4.neigh.default.gc_thresh1');
  });
});
