import { describe, expect, test } from 'vitest';
import { readGroups, readPackages, readUsers } from './read-accounts.ts';
import { readIpsets, readIptables, readNftables } from './read-filters.ts';
import { readAddresses, readLinks, readPorts, readRoutes, readRules } from './read-network.ts';
import { readCgroups, readModules, readMounts, readSwaps, readSysctls, readUnits } from './read-system.ts';
import { stateScript } from './script.ts';
import type { Entries } from './types.ts';
import { parseAttributes } from './xattrs.ts';

const plain = (entries: Entries) => Object.fromEntries(entries);

describe('accounts', () => {
  test('packages with versions and marks; packages of which only the configuration is left are listed', () => {
    const list = [
      'chrony\tamd64\t4.3-2\tinstall\tinstalled',
      'libc6\tamd64\t2.36\tinstall\tinstalled',
      'libc6\ti386\t2.36\tinstall\tinstalled',
      'old\tall\t1\tdeinstall\tconfig-files',
      'never\tall\t\tunknown\tnot-installed',
      'kept\tall\t1\thold\tinstalled',
      '',
    ].join('\n');
    const marks =
      'Package: libc6\nArchitecture: amd64\nAuto-Installed: 1\n\nPackage: chrony\nArchitecture: amd64\nAuto-Installed: 0\n';
    expect(plain(readPackages(list, marks))).toEqual({
      chrony: { version: '4.3-2', status: 'installed', mark: 'manual' },
      'libc6:amd64': { version: '2.36', status: 'installed', mark: 'auto' },
      'libc6:i386': { version: '2.36', status: 'installed', mark: 'auto' },
      old: { version: '1', status: 'config-files', mark: 'manual' },
      kept: { version: '1', status: 'installed', hold: 'yes', mark: 'manual' },
    });
  });

  test('users: a password is seen to change, and never seen', () => {
    const passwd = 'root:x:0:0:root:/root:/bin/bash\n_chrony:x:101:102::/var/lib/chrony:/usr/sbin/nologin\n';
    const users = (hash: string, day: string) =>
      readUsers({
        passwd,
        shadow: `root:${hash}:${day}:0:99999:7:::\n_chrony:!:1::::::\n`,
        subuid: 'root:100000:65536\n',
        subgid: '',
      });
    const one = users('$y$j9T$secret', '20000');
    expect(one.get('_chrony')).toMatchObject({ uid: '101', password: 'locked', home: '/var/lib/chrony' });
    expect(one.get('root')).toMatchObject({
      subuid: '100000+65536',
      password: expect.stringMatching(/^sha256:\w{16}$/),
    });
    expect(JSON.stringify([...one])).not.toContain('secret');
    expect(users('$y$j9T$secret', '20001')).toEqual(one);
    expect(users('$y$j9T$other', '20000')).not.toEqual(one);
  });

  test('groups: the order of members means nothing', () => {
    const one = readGroups('sudo:x:27:b,a\nempty:x:30:\n', 'sudo:*::b,a\n');
    expect(one.get('sudo')).toEqual({ gid: '27', members: 'a,b', password: 'locked' });
    expect(one.get('empty')).toEqual({ gid: '30', members: '', password: 'none' });
  });
});

describe('the system', () => {
  test('units: enabled, masked, active, failed, restarting; devices and sleeping ones are no units', () => {
    const links = [
      '/etc/systemd/system/multi-user.target.wants/ssh.service\t/lib/systemd/system/ssh.service',
      '/etc/systemd/system/graphical.target.wants/ssh.service\t/lib/systemd/system/ssh.service',
      '/etc/systemd/system/sshd.service\t/lib/systemd/system/ssh.service',
      '/etc/systemd/system/chrony.service\t/dev/null',
      '/run/systemd/system/now.service\t/dev/null',
      '/run/systemd/system/timers.target.wants/x.timer\t/lib/systemd/system/x.timer',
      '',
    ].join('\n');
    const units = [
      'ssh.service loaded active running OpenBSD Secure Shell server',
      'bad.service loaded failed failed x',
      'loop.service loaded activating auto-restart x',
      'once.service loaded inactive dead x',
      'kubepods.slice loaded active active x',
      'var-lib-x.mount loaded active mounted x',
      'dev-sda.device loaded active plugged x',
      'chrony.service masked inactive dead x',
    ].join('\n');
    expect(plain(readUnits(links, units))).toEqual({
      'ssh.service': { enabled: 'graphical.target.wants, multi-user.target.wants', state: 'active' },
      'sshd.service': { link: '/lib/systemd/system/ssh.service' },
      'chrony.service': { masked: 'yes' },
      'now.service': { masked: 'runtime' },
      'x.timer': { enabled: 'timers.target.wants (runtime)' },
      'bad.service': { state: 'failed' },
      'loop.service': { state: 'restarting' },
      'kubepods.slice': { state: 'active' },
    });
  });

  test('mounts, also with spaces and upon each other', () => {
    const text = [
      '22 1 0:21 / / rw,relatime shared:1 - overlay overlay rw,lowerdir=/a,upperdir=/b',
      '30 22 254:0 /labs/t/data /var/lib/etcd rw - ext4 /dev/vda rw',
      '31 22 0:30 / /mnt/a\\040b ro,nosuid shared:2 master:3 - tmpfs tmpfs rw',
      '32 22 0:31 /x//deleted /var/lib/etcd rw - tmpfs none rw',
      '33 22 0:31 /.#proc-kmsgf785b68f05ea36f2//deleted /proc/kmsg rw - tmpfs tmpfs rw',
    ].join('\n');
    expect(plain(readMounts(text))).toEqual({
      '/': { type: 'overlay', source: 'overlay', root: '/', access: 'rw' },
      '/var/lib/etcd': { type: 'ext4', source: '/dev/vda', root: '/labs/t/data', access: 'rw' },
      '/mnt/a b': { type: 'tmpfs', source: 'tmpfs', root: '/', access: 'ro' },
      '/proc/kmsg': { type: 'tmpfs', source: 'tmpfs', root: '/.#proc-kmsg', access: 'rw' },
      '/var/lib/etcd #2': { type: 'tmpfs', source: 'none', root: '/x', access: 'rw' },
    });
  });

  test('sysctls, with tabs and several lines', () => {
    const text =
      '/proc/sys/net/ipv4/ip_forward:0\n/proc/sys/net/ipv4/tcp_rmem:4096\t131072\t6291456\n/proc/sys/a/b:x\n/proc/sys/a/b:y\n/proc/sys/net/ipv4/conf/flannel.1/forwarding:1\n';
    expect(plain(readSysctls(text))).toEqual({
      'net/ipv4/ip_forward': { value: '0' },
      'net/ipv4/tcp_rmem': { value: '4096 131072 6291456' },
      'a/b': { value: 'x\ny' },
      'net/ipv4/conf/flannel.1/forwarding': { value: '1' },
    });
  });

  test.each([
    ['unified\n', ''],
    ['', '/pids'],
  ])('control groups that systemd does not know, once for all controllers (%j)', (first, controller) => {
    const text = ['/system.slice/ssh.service', '/kubepods/burstable/pod1', '/kubepods', '/system.slice/x.service/inner']
      .map((path) => `/sys/fs/cgroup${controller}${path}`)
      .join('\n');
    expect(Object.keys(plain(readCgroups(first + text)))).toEqual(['/kubepods', '/system.slice/x.service/inner']);
    expect(readCgroups(first)).toEqual(new Map());
  });

  test('modules of the box are not the machine’s', () => {
    expect(plain(readModules('overlay 1 0 - Live\nbr_netfilter 1 0 - Live\n', 'overlay 1 0 - Live\n'))).toEqual({
      br_netfilter: {},
    });
    expect(plain(readModules('', ''))).toEqual({});
  });

  test('swaps', () => {
    const text =
      'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/swap\\040file                            file\t\t1024\t\t0\t\t-2\n';
    expect(plain(readSwaps(text))).toEqual({ '/swap file': { type: 'file', size: '1024', priority: '-2' } });
  });
});

describe('the network', () => {
  test('links, whatever number their other end has', () => {
    const json = (index: number) =>
      JSON.stringify([
        { ifname: 'lo', flags: ['LOOPBACK', 'UP'], mtu: 65536, link_type: 'loopback' },
        {
          ifname: 'eth0',
          link_index: index,
          flags: ['UP'],
          mtu: 1500,
          link_type: 'ether',
          linkinfo: { info_kind: 'veth' },
        },
        { ifname: 'v1', flags: [], mtu: 1450, master: 'cni0', link_type: 'ether', linkinfo: { info_kind: 'veth' } },
      ]);
    expect(plain(readLinks(json(5)))).toEqual({
      lo: { type: 'loopback', mtu: '65536', up: 'yes' },
      eth0: { type: 'veth', mtu: '1500', up: 'yes' },
      v1: { type: 'veth', mtu: '1450', up: 'no', master: 'cni0' },
    });
    expect(readLinks(json(77))).toEqual(readLinks(json(5)));
  });

  test('addresses, without those that every link gets by itself', () => {
    const json = JSON.stringify([
      {
        ifname: 'eth0',
        addr_info: [
          { family: 'inet', local: '10.0.0.2', prefixlen: 24, scope: 'global', valid_life_time: 1 },
          { family: 'inet6', local: 'fe80::1', prefixlen: 64, scope: 'link' },
        ],
      },
      { ifname: 'lo', addr_info: [] },
      {},
    ]);
    expect(plain(readAddresses(json))).toEqual({ 'eth0 10.0.0.2/24': { scope: 'global' } });
  });

  test('routes of all tables but those of the addresses', () => {
    const four = JSON.stringify([
      { dst: 'default', gateway: '10.0.0.1', dev: 'eth0', flags: [] },
      { type: 'local', dst: '10.0.0.2', dev: 'eth0', table: 'local' },
      { type: 'blackhole', dst: '10.244.0.0/24', table: 'main', protocol: 'bird' },
      { dst: '10.9.0.0/16', dev: 'eth0', table: '100', metric: 5 },
    ]);
    const six = JSON.stringify([{ dst: 'fe80::/64', dev: 'eth0', metric: 256 }]);
    expect(plain(readRoutes(four, six))).toEqual({
      'default dev eth0': { via: '10.0.0.1' },
      'blackhole 10.244.0.0/24': { protocol: 'bird' },
      '10.9.0.0/16 dev eth0 metric 5 table 100': {},
    });
    expect(plain(readRoutes(four, ''))).toHaveProperty('default dev eth0');
  });

  test('rules of both families', () => {
    const four = JSON.stringify([{ priority: 0, src: 'all', table: 'local' }]);
    expect(Object.keys(plain(readRules(four, four)))).toEqual([
      'ipv4 0: src all table local',
      'ipv6 0: src all table local',
    ]);
  });

  test('ports with who listens; questions on their way are no ports', () => {
    const ss = [
      'udp   UNCONN 0      0            0.0.0.0:8472       0.0.0.0:*',
      'udp   UNCONN 0      0          127.0.0.1:41234      0.0.0.0:*    users:(("dig",pid=9,fd=3))',
      'tcp   LISTEN 0      128          0.0.0.0:22         0.0.0.0:*    users:(("sshd",pid=99,fd=3),("systemd",pid=1,fd=40))',
      'tcp   LISTEN 0      4096               *:41000            *:*    users:(("kubelet",pid=5,fd=9))',
      'tcp   LISTEN 0      128             [::]:22            [::]:*    users:(("sshd",pid=99,fd=4))',
    ].join('\n');
    expect(plain(readPorts(ss, '32768 60999'))).toEqual({
      'udp 0.0.0.0:8472': {},
      'tcp 0.0.0.0:22': { process: 'sshd,systemd' },
      'tcp *:41000': { process: 'kubelet' },
      'tcp [::]:22': { process: 'sshd' },
    });
  });
});

describe('filters', () => {
  test('nftables: each chain and set of a table', () => {
    const text = [
      'table inet kx {',
      '\tcounter cnt {',
      '\t}',
      '',
      '\tset s {',
      '\t\ttype ipv4_addr',
      '\t\tflags timeout',
      '\t\telements = { 10.0.0.1 timeout 1h expires 59m58s }',
      '\t}',
      '',
      '\tchain c {',
      '\t\ttype filter hook input priority filter; policy accept;',
      '\t\ttcp dport 22 counter packets 5 bytes 300 accept',
      '\t}',
      '}',
      'table ip empty {',
      '}',
      '',
    ].join('\n');
    expect(plain(readNftables(text))).toEqual({
      'inet kx': {
        'counter cnt': '',
        'set s': 'type ipv4_addr\nflags timeout\nelements = { 10.0.0.1 timeout 1h }',
        'chain c': 'type filter hook input priority filter; policy accept;\ntcp dport 22 counter accept',
      },
      'ip empty': {},
    });
    expect(readNftables('')).toEqual(new Map());
  });

  test('iptables: an empty table that cannot be removed is none', () => {
    const text = [
      '# Generated by iptables-save v1.8.9 on Sun Nov 15 13:06:46 2026',
      '*filter',
      ':INPUT ACCEPT [7:700]',
      ':FORWARD ACCEPT [0:0]',
      'COMMIT',
      '*nat',
      ':POSTROUTING ACCEPT [1:2]',
      ':KUBE - [0:0]',
      '-A POSTROUTING -j MASQUERADE',
      'COMMIT',
      '*mangle',
      ':INPUT DROP [0:0]',
      'COMMIT',
    ].join('\n');
    expect(plain(readIptables('ipv4', text))).toEqual({
      'ipv4 nat': { POSTROUTING: 'ACCEPT\n-A POSTROUTING -j MASQUERADE', KUBE: '-' },
      'ipv4 mangle': { INPUT: 'DROP' },
    });
  });

  test('ipsets: their seed, size and clocks mean nothing', () => {
    const text = [
      'create t hash:net family inet hashsize 1024 maxelem 65536 timeout 100 bucketsize 12 initval 0x4f526ca6',
      'add t 10.2.0.0/16 timeout 97',
      'add t 10.1.0.0/16 timeout 12',
    ].join('\n');
    expect(plain(readIpsets(text))).toEqual({
      t: { create: 'hash:net family inet maxelem 65536 timeout 100', members: '10.1.0.0/16\n10.2.0.0/16' },
    });
  });
});

test('attributes of files, with names that getfattr has to quote', () => {
  const text =
    '# file: /a b\nuser.k=0x76\nuser.none=0x\n\n# file: /new\\012line\\134 ü\ntrusted.overlay.opaque=0x79\n\n';
  expect(Object.fromEntries(parseAttributes(text))).toEqual({
    '/a b': { 'user.k': '0x76', 'user.none': '0x' },
    '/new\nline\\ ü': { 'trusted.overlay.opaque': '0x79' },
  });
});

test('the script’s answers are kept apart, whatever a command prints', () => {
  const { script, read } = stateScript('MARK');
  expect(script).toContain('dpkg-query');
  const answers = read(
    'MARK hostname\nt-1\nMARK = 0\nMARK timezone\nno line endMARK = 1\nMARK unknown\nx\nMARK = 0\nMARK links\ncut',
  );
  expect(Object.fromEntries(answers)).toEqual({
    hostname: { code: 0, text: 't-1\n' },
    timezone: { code: 1, text: 'no line end' },
  });
});
