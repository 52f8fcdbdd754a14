import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseFacts } from './index.ts';

const NOW = 1_735_787_045_000;
const recorded = (name: string): string => readFileSync(join(import.meta.dirname, 'recorded', `${name}.txt`), 'utf8');
const facts = (name: string) => parseFacts(recorded(name), { sentAt: NOW - 100, receivedAt: NOW + 100, user: 'root' });
const gib = 1024 ** 3;

describe('parseFacts', () => {
  test('Debian 12', () => {
    expect(facts('debian-12')).toEqual({
      hostname: 'node1',
      machineId: '6f3b1e0b9d7a4c4f8f0f4e2a1b3c5d7e',
      os: { id: 'debian', version: '12', name: 'Debian GNU/Linux 12 (bookworm)', family: 'debian' },
      arch: 'amd64',
      kernel: '6.1.0-28-amd64',
      cpus: 4,
      memoryBytes: 4018416 * 1024,
      swapBytes: 998396 * 1024,
      disks: [
        { name: 'vda', bytes: 20 * gib, rotational: true },
        { name: 'vdb', bytes: 10 * gib, rotational: false },
      ],
      mounts: [
        { path: '/', type: 'ext4', bytes: 5120000 * 4096, freeBytes: 4100000 * 4096 },
        { path: '/var/lib/etcd', type: 'xfs', bytes: 2618880 * 4096, freeBytes: 2600000 * 4096 },
      ],
      addresses: [
        { device: 'lo', address: '127.0.0.1', prefix: 8, family: 4 },
        { device: 'lo', address: '::1', prefix: 128, family: 6 },
        { device: 'enp1s0', address: '192.0.2.11', prefix: 24, family: 4 },
        { device: 'enp1s0', address: '2001:db8::11', prefix: 64, family: 6 },
        { device: 'enp1s0', address: 'fe80::5054:ff:fe12:3456', prefix: 64, family: 6 },
      ],
      routes: [
        { destination: 'default', device: 'enp1s0' },
        { destination: '192.0.2.0/24', device: 'enp1s0' },
        { destination: '2001:db8::/64', device: 'enp1s0' },
        { destination: 'fe80::/64', device: 'enp1s0' },
        { destination: 'default', device: 'enp1s0' },
      ],
      init: 'systemd',
      packageManager: 'apt',
      cgroup: 2,
      capabilities: expect.arrayContaining(['sys_admin', 'net_admin', 'sys_module', 'bpf']),
      timeOffsetMs: 250,
      timezone: 'Europe/Berlin',
      ntp: 'timesyncd',
      selinux: 'absent',
      firewall: [],
      virtualization: 'kvm',
      resolver: 'file',
      user: 'root',
      root: true,
      commands: expect.arrayContaining(['systemctl', 'ip']),
    });
    expect(facts('debian-12').capabilities).toHaveLength(41);
  });

  test('Ubuntu 24.04', () => {
    const read = facts('ubuntu-24.04');
    expect(read).toMatchObject({
      os: { id: 'ubuntu', version: '24.04', name: 'Ubuntu 24.04.1 LTS', family: 'debian' },
      swapBytes: 0,
      cpus: 2,
      ntp: 'chrony',
      firewall: ['ufw'],
      resolver: 'systemd-resolved',
      timezone: 'Etc/UTC',
      virtualization: 'amazon',
      timeOffsetMs: 0,
      disks: [{ name: 'nvme0n1', bytes: 30 * gib, rotational: false }],
    });
    expect(read.mounts.map(({ path, type }) => `${path} ${type}`)).toEqual(['/ ext4', '/boot ext4', '/boot/efi vfat']);
    expect(read.addresses.slice(1)).toEqual([
      { device: 'ens5', address: '198.51.100.20', prefix: 20, family: 4 },
      { device: 'wg0', address: '10.99.0.2', prefix: 32, family: 4 },
    ]);
    expect(read.routes.map((route) => route.destination)).toEqual(['default', '198.51.96.0/20']);
  });

  test('Rocky 9', () => {
    const read = facts('rocky-9');
    expect(read).toMatchObject({
      hostname: 'cp1.example.org',
      os: { id: 'rocky', version: '9.5', family: 'rhel' },
      arch: 'arm64',
      cpus: 8,
      packageManager: 'dnf',
      selinux: 'enforcing',
      firewall: ['firewalld'],
      resolver: 'networkmanager',
      ntp: 'chrony',
      timezone: 'America/New_York',
      init: 'systemd',
      timeOffsetMs: -500,
    });
    expect(read.addresses.at(-1)).toEqual({ device: 'vlan20', address: '10.20.0.10', prefix: 16, family: 4 });
  });

  test('openSUSE Leap', () => {
    expect(facts('opensuse-leap-15.6')).toMatchObject({
      os: { id: 'opensuse-leap', version: '15.6', family: 'suse' },
      cpus: 1,
      packageManager: 'zypper',
      cgroup: 1,
      selinux: 'disabled',
      ntp: 'ntpd',
      virtualization: 'oracle',
      resolver: 'file',
      disks: [{ name: 'sda' }],
      timeOffsetMs: 123,
    });
  });

  test('Alpine', () => {
    expect(facts('alpine-3.21')).toMatchObject({
      machineId: '',
      os: { id: 'alpine', version: '3.21.0', family: 'alpine' },
      cpus: 3,
      init: 'openrc',
      packageManager: 'apk',
      cgroup: 2,
      timezone: 'UTC',
      virtualization: 'kvm',
      // Its date(1) knows whole seconds only.
      timeOffsetMs: 500,
      ntp: 'chrony',
    });
  });

  test('a container with almost no tools', () => {
    const read = facts('minimal-container');
    expect(read).toMatchObject({
      hostname: '3f2a9c1b7d44',
      init: 'none',
      resolver: 'absent',
      virtualization: 'docker',
      mounts: [{ path: '/', type: 'overlay' }],
      addresses: [
        { device: 'lo', address: '127.0.0.1', prefix: 8, family: 4 },
        { device: 'eth0', address: '172.17.0.2', prefix: 16, family: 4 },
        { device: 'lo', address: '::1', prefix: 128, family: 6 },
        { device: 'eth0', address: 'fd00::2', prefix: 64, family: 6 },
      ],
      routes: [
        { destination: 'default', device: 'eth0' },
        { destination: '172.17.0.0/16', device: 'eth0' },
      ],
    });
    expect(read.capabilities).not.toContain('sys_admin');
    expect(read.capabilities).toContain('chown');
  });

  test('nothing at all is an error, not a machine', () => {
    expect(() => parseFacts('', { sentAt: 0, receivedAt: 0 })).toThrow(/proc/);
  });

  test.each(['debian-12', 'rocky-9', 'alpine-3.21'])('any part of %s may be missing', (name) => {
    const lines = recorded(name).split('\n');
    for (let cut = 0; cut < lines.length; cut++) {
      const text = [...lines.slice(0, cut), ...lines.slice(cut + 3)].join('\n');
      if (!/^==> \/proc\/meminfo <==\n\S/m.test(text)) continue;
      expect(() => parseFacts(text, { sentAt: 0, receivedAt: 0 })).not.toThrow();
    }
  });
});
