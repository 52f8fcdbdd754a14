import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  captureMachine,
  createLab,
  cutMachine,
  type DiffOptions,
  diffMachine,
  execInMachine,
  findMachine,
  type LabMachine,
  rebootMachine,
  sshWords,
  startMachine,
  stopMachine,
} from '../../src/index.ts';
import { changesOn } from './changes.ts';
import { describeLab, labEnv, removeEnv } from './fixture.ts';

const LAB = 'kxdiff';

describeLab('lab diff', () => {
  let env: NodeJS.ProcessEnv;
  let machine: LabMachine;

  beforeAll(async () => {
    env = labEnv();
    const lab = await createLab({ name: LAB, machines: 1 }, { env });
    machine = lab.machines[0]!;
  }, 600_000);

  afterAll(() => removeEnv(env));

  // A reboot gives it another first process.
  beforeEach(async () => {
    machine = await findMachine(`${LAB}-1`, { env });
  });

  async function inside(script: string, networkOnly = false): Promise<string> {
    const { code, stdout, stderr } = await execInMachine(machine, `set -e\n${script}`, { networkOnly });
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  }

  const changes = (options: DiffOptions = {}) => changesOn(machine, { env, ...options });

  test('a machine nobody touched has no differences', async () => {
    expect(await changes({ ignoreRemains: false })).toEqual([]);
  });

  test('neither after a login, nor after its timers ran', async () => {
    const ssh = spawnSync('ssh', [...(await sshWords(machine)), '--', 'logger hello; uname -n'], { encoding: 'utf8' });
    expect(ssh).toMatchObject({ status: 0, stdout: `${LAB}-1\n`, stderr: '' });
    await inside('systemctl start systemd-tmpfiles-clean.service; journalctl --flush; date >/tmp/x; rm /tmp/x');
    expect(await changes()).toEqual([]);
  });

  // Each with what is seen of it, and how it is undone; then nothing may be left.
  test.each<[string, string, string[], string]>([
    ['a file', 'echo a >/etc/kx', ['added file /etc/kx'], 'rm /etc/kx'],
    ['a mode', 'chmod 600 /etc/issue', ['changed file /etc/issue'], 'chmod 644 /etc/issue'],
    [
      'the same content, by another name and back',
      'mv /etc/issue /etc/kx; sleep 0.01; cp -p /etc/kx /etc/issue',
      ['added file /etc/kx'],
      'rm /etc/kx; chown 0:0 /etc/issue',
    ],
    [
      'a bound directory',
      'mkdir /var/lib/etcd/member',
      ['added file /var/lib/etcd/member'],
      'rmdir /var/lib/etcd/member',
    ],
    [
      'a user',
      'useradd -M -K SUB_UID_COUNT=0 -K SUB_GID_COUNT=0 kx',
      ['added group kx', 'added user kx'],
      'userdel kx',
    ],
    ['a password', "usermod -p '$6$a$b' daemon", ['changed user daemon'], "usermod -p '*' daemon"],
    [
      'a unit',
      `printf '[Service]\\nExecStart=/bin/sleep inf\\n[Install]\\nWantedBy=multi-user.target\\n' >/etc/systemd/system/kx.service
       systemctl enable --now kx.service 2>/dev/null`,
      [
        'added file /etc/systemd/system/kx.service',
        'added file /etc/systemd/system/multi-user.target.wants/kx.service',
        'added unit kx.service',
      ],
      'systemctl disable --now kx.service 2>/dev/null; rm /etc/systemd/system/kx.service; systemctl daemon-reload',
    ],
    [
      'a unit that failed',
      'systemd-run -q --unit kxbad false; sleep 0.5',
      ['added unit kxbad.service'],
      'systemctl reset-failed kxbad.service',
    ],
    ['a name', 'hostname kx', ['changed hostname hostname', 'changed sysctl kernel/hostname'], `hostname ${LAB}-1`],
    [
      'a time zone',
      'ln -sf /usr/share/zoneinfo/Asia/Shanghai /etc/localtime',
      ['changed file /etc/localtime', 'changed timezone timezone'],
      'ln -sf /usr/share/zoneinfo/Etc/UTC /etc/localtime',
    ],
    [
      'a link with an address and a route',
      'ip link add kxbr type bridge; ip addr add 10.199.0.1/24 dev kxbr; ip link set kxbr up; ip route add 10.200.0.0/16 via 10.199.0.9',
      [
        'added address kxbr 10.199.0.1/24',
        'added link kxbr',
        'added route 10.199.0.0/24 dev kxbr',
        'added route 10.200.0.0/16 dev kxbr',
      ],
      'ip link del kxbr',
    ],
    [
      'a rule',
      'ip rule add from 10.1.2.3 table 77',
      ['added rule ipv4 32765: src 10.1.2.3 table 77'],
      'ip rule del table 77',
    ],
    [
      'a mount',
      'mkdir /mnt/kx; mount -t tmpfs kx /mnt/kx',
      ['added file /mnt/kx', 'added mount /mnt/kx'],
      'umount /mnt/kx; rmdir /mnt/kx',
    ],
    [
      'a setting',
      'sysctl -qw net.ipv4.tcp_keepalive_time=99',
      ['changed sysctl net/ipv4/tcp_keepalive_time'],
      'sysctl -qw net.ipv4.tcp_keepalive_time=7200',
    ],
    [
      'a setting of the box',
      'sysctl -qw vm.swappiness=7',
      ['changed sysctl vm/swappiness'],
      'sysctl -qw vm.swappiness=60',
    ],
    [
      'a port',
      'systemd-run -q --unit kxport --collect systemd-socket-activate -l 4711 cat; sleep 0.3',
      ['added port tcp *:4711', 'added unit kxport.service'],
      'systemctl stop kxport.service',
    ],
    [
      'a control group that a runtime made',
      'for d in /sys/fs/cgroup /sys/fs/cgroup/pids; do test -e $d/cgroup.procs && mkdir $d/kubepods; done; true',
      ['added cgroup /kubepods'],
      'rmdir /sys/fs/cgroup/kubepods 2>/dev/null || rmdir /sys/fs/cgroup/pids/kubepods',
    ],
  ])('%s is seen, and gone when it was undone', async (_, script, expected, undo) => {
    await inside(script);
    const seen = (await changes()).sort();
    await inside(undo);
    expect(seen).toEqual(expected);
    expect(await changes()).toEqual([]);
  });

  test.each<[string, string, string, string]>([
    ['nftables', 'nft add table inet kx', 'added nftables inet kx', 'nft delete table inet kx'],
    ['an ipset', 'ipset create kx hash:ip; ipset add kx 10.0.0.1', 'added ipset kx', 'ipset destroy kx'],
    ['iptables', 'iptables-legacy -N KX', 'added iptables ipv4 filter', 'iptables-legacy -X KX'],
  ])('%s without its program in the machine', async (_, script, expected, undo) => {
    await inside(script, true);
    const seen = await changes();
    await inside(undo, true);
    expect(seen).toEqual([expected]);
    expect(await changes()).toEqual([]);
  });

  test('compares with any other moment, too', async () => {
    await inside('echo a >/etc/kx1');
    const since = await captureMachine(machine, { env });
    await inside('echo a >/etc/kx2; echo b >/etc/kx1');
    expect(await changes({ since })).toEqual(['changed file /etc/kx1', 'added file /etc/kx2']);
    await inside('rm /etc/kx1 /etc/kx2');
    expect(await changes()).toEqual([]);
  });

  test('a package that replaces another, and back: only what may remain remains', async () => {
    const apt = 'DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0';
    await inside(`exec >/dev/null 2>&1; ${apt} update; ${apt} install -y chrony`);
    const seen = await changes();
    expect(seen).toEqual(
      expect.arrayContaining([
        'added package chrony',
        'changed package systemd-timesyncd',
        'added user _chrony',
        'added unit chrony.service',
        'added file /etc/chrony',
        'removed file /usr/lib/systemd/systemd-timesyncd',
      ]),
    );
    await inside(`exec >/dev/null 2>&1; ${apt} purge -y --autoremove chrony; ${apt} install -y systemd-timesyncd`);
    expect(await changes()).toEqual([]);
    const { remains } = await diffMachine(machine, { env, ignoreRemains: true });
    expect(remains).toBeGreaterThan(5);
  }, 180_000);

  test('a machine that does not run cannot be compared', async () => {
    await stopMachine(machine, { env });
    await expect(diffMachine(machine, { env })).rejects.toMatchObject({ code: 'KX6014' });
    await startMachine(machine, { env });
    expect(await changes()).toEqual([]);
  });

  test('a reboot and a power cut change nothing', async () => {
    await rebootMachine(machine, { env });
    expect(await changes()).toEqual([]);
    await cutMachine(machine, { env });
    await startMachine(machine, { env });
    expect(await changes()).toEqual([]);
  });
});
