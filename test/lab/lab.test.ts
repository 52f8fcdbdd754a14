import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectMachine } from '../../src/host/index.ts';
import {
  createLab,
  cutMachine,
  delayMachine,
  deleteLab,
  execInMachine,
  findMachine,
  healMachine,
  openLab,
  partitionMachine,
  rebootMachine,
  restoreLab,
  snapshotLab,
  startLab,
  startMachine,
  stopLab,
  stopMachine,
} from '../../src/lab/index.ts';
import { memoryFile } from '../../src/lab/nspawn/cgroups.ts';
import { networkProcess } from '../../src/lab/nspawn/namespace.ts';
import { cgroupsOf, launcherGroup, NETWORK_GROUP, REPOSITORY_GROUP, readRecord } from '../../src/lab/nspawn/record.ts';
import { labPlaces } from '../../src/lab/places.ts';
import { sh } from '../../src/model/script.ts';
import { describeLab, type TestLab, withLab } from './fixture.ts';
import { NO_TRACES, tracesOf } from './world.ts';

const MEMORY = 512 * 1024 * 1024;
const execute = promisify(execFile);

function answers(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: 1500 });
    const end = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });
}

/** The machines' cables that there are. */
async function cables({ env, name }: TestLab): Promise<readonly string[]> {
  const keeper = networkProcess(readRecord(labPlaces(env), name)!);
  const { stdout } = await execute('nsenter', [
    '-t',
    String(keeper),
    '--net',
    'ip',
    '-o',
    'link',
    'show',
    'type',
    'veth',
  ]);
  return [...stdout.matchAll(/^\d+: (machine\d+)@/gm)].map((match) => match[1] ?? '').sort();
}

/** What a kubelet does for its first pods, ten times: slices of systemd, in them groups that systemd has no use for. */
const DEVICE_GROUPS = `
tree=$(awk '/ - cgroup / && $NF ~ /(^|,)devices(,|$)/ { print $5 }' /proc/self/mountinfo)
[ -n "$tree" ] || { echo none; exit; }
manager='org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager'
slice() { busctl -q call $manager StartTransientUnit 'ssa(sv)a(sa(sv))' "$1.slice" replace 2 CPUAccounting b true MemoryAccounting b true 0; }
slice pods && mkdir -p "$tree/pods.slice" || exit
for i in 1 2 3 4 5 6 7 8 9 10; do
  slice "pods-class$i" && mkdir -p "$tree/pods.slice/pods-class$i.slice" && slice "pods-class$i-pod" || exit
  mkdir "$tree/pods.slice/pods-class$i.slice/pods-class$i-pod.slice" || exit
done
find "$tree/pods.slice" -depth -type d -exec rmdir {} + && systemctl stop pods.slice && echo made`;

describeLab('a lab', () => {
  let lab: TestLab;
  beforeAll(async () => {
    lab = await withLab(2, { memoryBytes: MEMORY });
  }, 600_000);
  afterAll(() => lab?.close());

  test('its machines are bare Debian with a systemd that is content', async () => {
    expect((await lab.exec(1, 'systemctl is-system-running')).trim()).toBe('running');
    expect(await lab.exec(1, 'systemctl --failed --no-legend')).toBe('');
    expect((await lab.exec(2, 'hostname')).trim()).toBe(`${lab.name}-2`);
    const absent = [
      'containerd',
      'runc',
      'socat',
      'conntrack',
      'chronyd',
      'ipset',
      'ebtables',
      'curl',
      'iptables',
      'nft',
    ];
    expect(await lab.exec(1, `for c in ${absent.join(' ')}; do command -v $c; done; true`)).toBe('');
    expect(await lab.exec(1, 'dpkg -s systemd-timesyncd')).toContain('Status: install ok installed');
  });

  test('kubexm logs in with a key of the lab, and each machine has a host key of its own', async () => {
    const { machines } = await lab.look();
    expect(new Set(machines.map((machine) => machine.hostKey)).size).toBe(2);
    expect(statSync(machines[0]!.sshKeyPath).mode & 0o777).toBe(0o600);
    const machine = await connectMachine(await lab.target(1));
    try {
      expect(machine.facts.hostname).toBe(`${lab.name}-1`);
      expect((await machine.run(sh`id -u`)).stdout).toBe('0\n');
    } finally {
      await machine.close();
    }
  });

  test('the groups of devices that a runtime makes are not taken away by systemd', async (context) => {
    const said = await lab.exec(1, DEVICE_GROUPS);
    if (said === 'none\n') return context.skip('this kernel has control groups v2');
    expect(said).toBe('made\n');
  });

  test('memory is the machine’s own', async () => {
    expect(await lab.exec(1, 'head -1 /proc/meminfo')).toMatch(/^MemTotal: +524288 kB$/m);
    expect((await lab.exec(1, 'tail -n +2 /proc/swaps')).trim()).toBe('');
    const groups = cgroupsOf(readRecord(labPlaces(lab.env), lab.name)!);
    const memory = memoryFile(groups.all);
    // Without the controller there is nothing that could limit anything.
    if (memory === undefined) return;
    const group = groups.paths(`${lab.name}-1`).find((path) => path.startsWith(memory.hierarchy.mount));
    expect(readFileSync(join(group!, memory.file), 'utf8').trim()).toBe(String(MEMORY));
    // tail keeps all that it was asked for: somebody who takes more than there is does not get it.
    const take = (megabytes: number) =>
      execInMachine(lab1, `head -c ${megabytes}M /dev/zero | tail -c ${megabytes}M | wc -c`);
    const lab1 = await lab.machine(1);
    expect((await take(64)).stdout.trim()).toBe(String(64 * 1024 * 1024));
    expect((await take(600)).stdout.trim()).not.toBe(String(600 * 1024 * 1024));
  });

  test('modprobe knows what the kernel has, and what it has not', async () => {
    expect(await lab.exec(1, 'modprobe overlay && modprobe no_such_module 2>/dev/null || echo refused')).toBe(
      'refused\n',
    );
  });

  test('packages come from the lab, and nothing else outside is reachable', async () => {
    expect(await lab.exec(1, 'cat /etc/apt/sources.list.d/*.sources')).toContain((await lab.look()).repository);
    await lab.exec(
      1,
      'apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chrony >/dev/null 2>&1',
    );
    expect((await lab.exec(1, 'systemctl is-active chrony')).trim()).toBe('active');
    expect(await lab.exec(1, 'dpkg -s systemd-timesyncd')).not.toContain('ok installed');
    const { link } = await lab.look();
    expect(readFileSync(`/proc/sys/net/ipv4/conf/${link}/forwarding`, 'utf8').trim()).toBe('0');
  }, 180_000);

  test('a reboot from inside comes back by itself, with another boot id', async () => {
    const bootId = 'cat /proc/sys/kernel/random/boot_id';
    const before = await lab.exec(1, bootId);
    const { pid } = await lab.machine(1);
    await lab.exec(1, 'touch /var/tmp/stays; systemctl reboot');
    for (let tries = 0; tries < 300; tries++, await sleep(100)) {
      const now = await lab.machine(1);
      if (now.pid !== pid && now.state === 'running' && (await answers(now.address, 22))) break;
    }
    expect(await lab.exec(1, bootId)).not.toBe(before);
    await lab.exec(1, 'test -e /var/tmp/stays');
    await rebootMachine(await lab.machine(1), lab);
    await lab.exec(1, 'test -e /var/tmp/stays');
  });

  test('stop, start and a power cut', async () => {
    await lab.exec(2, 'echo kept >/var/lib/etcd/data && sync');
    const machine = await lab.machine(2);
    expect(await stopMachine(machine, lab)).toMatchObject({ state: 'stopped' });
    await expect(execInMachine(machine, 'true')).rejects.toMatchObject({ code: 'KX6014' });
    expect(await startMachine(machine.name, lab)).toMatchObject({ state: 'running' });
    const cut = await cutMachine(machine, lab);
    expect(cut.state).toBe('stopped');
    expect(await cables(lab)).toEqual(['machine1']);
    await startMachine(machine, lab);
    expect(await cables(lab)).toEqual(['machine1', 'machine2']);
    expect(await lab.exec(2, 'cat /var/lib/etcd/data')).toBe('kept\n');
    expect((await lab.machine(1)).state).toBe('running');
  });

  test('a partition cuts a machine off, over a reboot too, until it is healed', async () => {
    const machine = await lab.machine(2);
    const reach = `timeout 3 sh -c 'exec 3<>/dev/tcp/${machine.address}/22' 2>/dev/null && echo yes || echo no`;
    const fromOther = async (): Promise<string> =>
      (await lab.exec(1, `bash -c ${JSON.stringify(reach.replace('sh -c', 'bash -c'))}`)).trim();
    expect(await fromOther()).toBe('yes');
    expect(await partitionMachine(machine, lab)).toMatchObject({ partitioned: true });
    expect(await fromOther()).toBe('no');
    await rebootMachine(machine, lab);
    expect(await fromOther()).toBe('no');
    expect(await healMachine(machine, lab)).toMatchObject({ partitioned: false });
    expect(await fromOther()).toBe('yes');
  });

  test('a delay makes round trips longer, or is refused by name', async () => {
    const machine = await lab.machine(2);
    const outcome = await delayMachine(machine, 80, lab).catch((error: unknown) => error);
    if (outcome instanceof Error) return expect(outcome).toMatchObject({ code: 'KX6016' });
    const began = performance.now();
    await answers(machine.address, 22);
    expect(performance.now() - began).toBeGreaterThan(75);
    return expect(await delayMachine(machine, 0, lab)).toMatchObject({ delayMs: 0 });
  });

  test('a snapshot brings everything back: contents, deletions, owners, attributes, data', async () => {
    await lab.exec(
      1,
      'echo a >/etc/kx-a; chown 12:34 /etc/kx-a; rm /etc/issue; mkfifo /var/lib/etcd/pipe; ln /etc/kx-a /etc/kx-b',
    );
    await snapshotLab(lab.name, lab);
    await lab.exec(1, 'echo b >/etc/kx-a; echo new >/etc/issue; rm -r /var/lib/etcd/pipe /etc/kx-b; touch /etc/kx-c');
    const restored = await restoreLab(lab.name, lab);
    expect(restored.machines.map((machine) => machine.state)).toEqual(['running', 'running']);
    const seen =
      "cat /etc/kx-a; stat -c '%u:%g %h' /etc/kx-b; ls /etc/issue /etc/kx-c 2>/dev/null; stat -c %F /var/lib/etcd/pipe";
    expect(await lab.exec(1, seen)).toBe('a\n12:34 2\nfifo\n');
    await expect(restoreLab(lab.name, lab, 'other')).rejects.toMatchObject({ code: 'KX6017' });
  });

  test('a machine whose launcher was killed goes on, and is still stopped and started', async () => {
    const machine = await lab.machine(2);
    const groups = cgroupsOf(readRecord(labPlaces(lab.env), lab.name)!);
    for (const pid of groups.processes(launcherGroup(machine.name))) process.kill(pid, 'SIGKILL');
    await sleep(200);
    expect(await findMachine(machine, lab)).toMatchObject({ state: 'running', pid: machine.pid });
    await stopLab(lab.name, lab);
    expect((await startLab(lab.name, lab)).machines.map((one) => one.state)).toEqual(['running', 'running']);
  });

  test('what a boot of the box takes away is made again', async () => {
    const { link, repository } = await stopLab(lab.name, lab);
    const groups = cgroupsOf(readRecord(labPlaces(lab.env), lab.name)!);
    await groups.kill([REPOSITORY_GROUP, NETWORK_GROUP]);
    await groups.remove('all');
    await execute('ip', ['link', 'del', link]).catch(() => undefined);
    await startLab(lab.name, lab);
    await lab.exec(
      1,
      `timeout 5 bash -c 'exec 3<>/dev/tcp/${new URL(repository).hostname}/${new URL(repository).port}'`,
    );
  });

  test('a network whose keeper was killed is kept by its machines, and found again', async () => {
    const groups = cgroupsOf(readRecord(labPlaces(lab.env), lab.name)!);
    await groups.kill([NETWORK_GROUP]);
    const { address, name } = await lab.machine(2);
    expect(await answers(address, 22)).toBe(true);
    await startLab(lab.name, lab);
    expect(await cables(lab)).toEqual(['machine1', 'machine2']);
    await partitionMachine(name, lab);
    expect(await answers(address, 22)).toBe(false);
    await healMachine(name, lab);
    expect(await answers(address, 22)).toBe(true);
  });

  test('a name or network that is taken is refused, a second lab gets its own', async () => {
    const { subnet } = await lab.look();
    await expect(createLab({ name: lab.name, machines: 1 }, lab)).rejects.toMatchObject({ code: 'KX6002' });
    await expect(createLab({ name: 'other', machines: 1, subnet }, lab)).rejects.toMatchObject({ code: 'KX6010' });
    await expect(createLab({ name: 'no/name', machines: 1 }, lab)).rejects.toMatchObject({ code: 'KX6005' });
    await expect(openLab('other', lab)).rejects.toMatchObject({ code: 'KX6004' });
    for (const name of ['..', '../x', '/etc', '.']) {
      await expect(deleteLab(name, lab)).rejects.toMatchObject({ code: 'KX6004' });
      await expect(openLab(name, lab)).rejects.toMatchObject({ code: 'KX6004' });
    }
  });

  test('two that are made at once get different networks', async () => {
    const names = ['a', 'b'].map((letter) => `${lab.name}${letter}`);
    const labs = await Promise.all(names.map((name) => createLab({ name, machines: 1 }, lab)));
    const { subnet } = await lab.look();
    expect(new Set([subnet, ...labs.map((one) => one.subnet)]).size).toBe(3);
    await Promise.all(names.map((name) => deleteLab(name, lab)));
  });

  test('a lab whose creation is cancelled removes itself', async () => {
    const name = `${lab.name}q`;
    const stop = new AbortController();
    const progress = (event: { type: string; state?: string }): void => {
      if (event.type === 'machine' && event.state === 'booting') stop.abort(new Error('enough'));
    };
    await expect(createLab({ name, machines: 2 }, { env: lab.env, progress, signal: stop.signal })).rejects.toThrow(
      'enough',
    );
    expect(tracesOf(name, join(labPlaces(lab.env).labs, name))).toEqual(NO_TRACES);
  });

  test('deleted, nothing of it is left', async () => {
    expect(await deleteLab(lab.name, lab)).toBe(true);
    expect(tracesOf(lab.name, labPlaces(lab.env).labs)).toEqual(NO_TRACES);
    expect(existsSync(labPlaces(lab.env).labs)).toBe(false);
    expect(await deleteLab(lab.name, lab)).toBe(false);
  });
});

describeLab('a lab with a user and a sudo password', () => {
  let lab: TestLab;
  const sudoPassword = 'se cret: "1"';
  beforeAll(async () => {
    lab = await withLab(1, { name: `u${process.pid}`, user: 'admin', sudoPassword });
  }, 600_000);
  afterAll(() => lab?.close());

  test('root is reached only through sudo with the password, which is in one private file', async () => {
    const { sudoPasswordFile } = await lab.machine(1);
    expect(statSync(sudoPasswordFile!).mode & 0o777).toBe(0o600);
    expect(readFileSync(sudoPasswordFile!, 'utf8')).toBe(`${sudoPassword}\n`);
    expect((await lab.exec(1, 'test -e /root/.ssh/authorized_keys || echo none')).trim()).toBe('none');
    const machine = await connectMachine(await lab.target(1), { sudoPassword });
    try {
      expect((await machine.run(sh`id -u`)).stdout).toBe('0\n');
    } finally {
      await machine.close();
    }
    await expect(connectMachine(await lab.target(1), { sudoPassword: 'wrong' })).rejects.toThrow();
  });
});
