import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectMachine, type LinkedMachine } from '../../src/host/index.ts';
import { execInMachine } from '../../src/lab/index.ts';
import { run } from '../../src/lab/nspawn/run.ts';
import { sh } from '../../src/model/script.ts';
import { describeLab, type TestLab, withLab } from './fixture.ts';
import { settings } from './world.ts';

const SYS_MODULE = 16n;
const SYS_ADMIN = 21n;
const SYS_TIME = 25n;
const SHIFT_S = 40;

/** Harmless ones, should they reach the box after all; each test puts back what it finds changed. */
const VALUES = {
  'vm.swappiness': '3',
  'vm.dirty_ratio': '21',
  'vm.max_map_count': '262145',
  'vm.vfs_cache_pressure': '101',
  'kernel.panic': '33',
  'kernel.core_pattern': 'kx',
  'kernel.threads-max': '100001',
  'kernel.pid_max': '4194300',
  'kernel.keys.maxkeys': '201',
  'kernel.shmmni': '4097',
  'fs.file-max': '777777',
  'fs.aio-max-nr': '65537',
  'fs.inotify.max_user_instances': '8193',
  'fs.pipe-max-size': '2097152',
  'net.core.somaxconn': '4099',
  'net.core.rmem_max': '212993',
  'net.ipv4.ip_forward': '1',
  'net.ipv4.tcp_keepalive_time': '7201',
  'net.ipv4.ip_local_port_range': '32769\t60998',
  'net.ipv4.conf.all.rp_filter': '2',
  'net.ipv6.conf.all.forwarding': '1',
  'net.bridge.bridge-nf-call-iptables': '0',
  'net.netfilter.nf_conntrack_max': '131073',
} as const;

const EPERM = '1';
/** The other one: a kernel that has no modules. */
const REFUSED = [EPERM, '38'];
const CALLS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  x64: { init_module: 175, delete_module: 176, swapon: 167, swapoff: 168 },
  arm64: { init_module: 105, delete_module: 106, swapon: 224, swapoff: 225 },
};

type Inside = (
  script: string,
) => Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;

/** How the kernel answers a call in a machine; Debian has Perl everywhere. */
async function errno(inside: Inside, call: string, args: string): Promise<string> {
  const number = CALLS[process.arch]?.[call];
  return (await inside(`perl -e 'my @args = (${args}); print syscall(${number}, @args) == 0 ? 0 : $! + 0'`)).stdout;
}

/** How far the box's clock is from the one that nobody can set. */
function clock(): number {
  return Date.now() / 1000 - Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
}

function modules(): readonly string[] {
  return existsSync('/proc/modules')
    ? readFileSync('/proc/modules', 'utf8').split('\n')
    : readdirSync('/sys/module').sort();
}

/** Whatever somebody does in a machine as root, over SSH and past it, the box does not notice. */
describeLab('what is done in a machine', () => {
  let lab: TestLab;
  let machine: LinkedMachine;
  beforeAll(async () => {
    lab = await withLab(2, { name: `i${process.pid}` });
    machine = await connectMachine(await lab.target(1));
  }, 600_000);
  afterAll(async () => {
    await machine?.close();
    await lab?.close();
  });

  const ways: readonly (readonly [string, Inside])[] = [
    ['over SSH', (script) => machine.run(sh`${{ script }}`)],
    ['past SSH', async (script) => execInMachine(await lab.machine(1), script)],
  ];

  test.each(ways)('%s: sysctls are the machine’s own', async (_, inside) => {
    const before = settings(lab.name);
    try {
      const keys = Object.entries(VALUES).map(([key, value]) => [key, key.replaceAll('.', '/'), value] as const);
      const write = keys.map(([, path, value]) => `{ echo '${value}' >/proc/sys/${path}; } 2>/dev/null`);
      await inside(write.join('\n'));
      const seen = await inside(keys.map(([, path]) => `cat /proc/sys/${path} 2>/dev/null || echo -`).join('\n'));
      // A setting that this kernel has in no machine is no setting that could be changed from one.
      const changed = seen.stdout.split('\n').filter((line, i) => line === keys[i]?.[2]);
      expect(changed.length).toBeGreaterThan(18);
      expect(settings(lab.name)).toEqual(before);
    } finally {
      putBack(before);
    }
  });

  // It has a /proc of its own, on which none of the machine's files lie. docs/lab.md says so.
  test('a privileged pod reaches sysctls of the box, but not its clock, modules and swap', async () => {
    const pod: Inside = (script) =>
      machine.run(sh`unshare --mount --pid --fork --mount-proc --propagation private sh -c ${script}`);
    const setting = '/proc/sys/vm/swappiness';
    const value = readFileSync(setting, 'utf8').trim();
    await lab.exec(1, `echo ${Number(value) + 1} >${setting}`);
    expect(readFileSync(setting, 'utf8').trim()).toBe(value);
    // Writing what is there already changes nothing, and is refused without write permission.
    expect(await pod(`cat ${setting} && echo ${value} >${setting}`)).toMatchObject({ code: 0, stdout: `${value}\n` });
    const time = clock();
    expect((await pod(`date -s "@$(($(date +%s) + ${SHIFT_S}))"`)).code).not.toBe(0);
    expect(Math.abs(clock() - time)).toBeLessThan(SHIFT_S / 4);
    expect(REFUSED).toContain(await errno(pod, 'init_module', '"x", 1, ""'));
    expect(REFUSED).toContain(await errno(pod, 'delete_module', '"kubexm_no_such_module", 0'));
    expect(await errno(pod, 'swapoff', '"/kubexm-no-such-file"')).toBe(EPERM);
    const net = readFileSync('/proc/sys/net/ipv4/tcp_keepalive_time', 'utf8');
    await pod('echo 7203 >/proc/sys/net/ipv4/tcp_keepalive_time');
    expect(readFileSync('/proc/sys/net/ipv4/tcp_keepalive_time', 'utf8')).toBe(net);
  });

  test('each machine has its own sysctls', async () => {
    await lab.exec(1, 'sysctl -qw kernel.core_pattern=kx vm.swappiness=4');
    expect(await lab.exec(2, 'sysctl -n kernel.core_pattern vm.swappiness')).not.toMatch(/^kx|^4$/m);
  });

  test.each(ways)('%s: the clock cannot be set', async (_, inside) => {
    const before = clock();
    try {
      for (const command of [
        `date -s "@$(($(date +%s) + ${SHIFT_S}))"`,
        `timedatectl set-time "$(date -d '+${SHIFT_S} seconds' '+%F %T')"`,
      ]) {
        const { code, stderr } = await inside(command);
        expect(code, command).not.toBe(0);
        expect(stderr).toMatch(/not permitted|denied|not supported|is enabled|Failed/i);
      }
      // With nobody who keeps the time, timedatectl gets as far as the clock.
      const { code } = await inside(`timedatectl set-ntp false; timedatectl set-time '@0'`);
      expect(code).not.toBe(0);
      expect(Math.abs(clock() - before)).toBeLessThan(SHIFT_S / 4);
    } finally {
      const shift = clock() - before;
      if (Math.abs(shift) > SHIFT_S / 4) await run('date', ['-s', `@${Math.round(Date.now() / 1000 - shift)}`]);
    }
  });

  test.each(ways)('%s: modules are not loaded, and not unloaded', async (_, inside) => {
    const before = modules();
    expect(await inside('modprobe overlay')).toMatchObject({ code: 0 });
    expect((await inside('modprobe kubexm_no_such_module')).code).not.toBe(0);
    // Not a module: with the permission to load modules the error says so (8), without it the call fails earlier.
    expect(REFUSED).toContain(await errno(inside, 'init_module', '"x", 1, ""'));
    expect(REFUSED).toContain(await errno(inside, 'delete_module', '"kubexm_no_such_module", 0'));
    await inside('modprobe -r dummy xt_comment; rmmod dummy; true');
    expect(modules()).toEqual(before);
  });

  test.each(ways)('%s: swap is neither switched off nor on', async (way, inside) => {
    const swaps = (): string => readFileSync('/proc/swaps', 'utf8');
    const before = swaps();
    const file = `/var/lib/etcd/swap-${way.replaceAll(' ', '')}`;
    const outside = join((await lab.machine(1)).dir, 'data', 'etcd', `swap-${way.replaceAll(' ', '')}`);
    try {
      expect(await inside('swapoff -a')).toMatchObject({ code: 0 });
      expect(swaps()).toBe(before);
      // The call itself is refused, before anybody looks whether there is such a swap (2).
      expect(await errno(inside, 'swapoff', '"/run/no-such-swap"')).toBe(EPERM);
      expect(await errno(inside, 'swapon', '"/run/no-such-swap", 0')).toBe(EPERM);
      const on = await inside(
        `dd if=/dev/zero of=${file} bs=1M count=4 status=none; chmod 600 ${file}; mkswap -q ${file}; swapon ${file}`,
      );
      expect(on.code).not.toBe(0);
      expect(swaps()).toBe(before);
    } finally {
      if (swaps() !== before) await run('swapoff', [outside]);
      await inside(`rm -f ${file}`);
    }
  });

  test('nothing has the capabilities for the clock and for modules, whichever way it came in', async () => {
    const answer = 'grep -h ^CapEff /proc/self/status /proc/1/status';
    const network = await execInMachine(await lab.machine(1), ['grep', '^CapEff', '/proc/self/status'], {
      networkOnly: true,
    });
    const texts = [...(await Promise.all(ways.map(([, inside]) => inside(answer)))), network].map((one) => one.stdout);
    const sets = [...texts.join('').matchAll(/CapEff:\s+([0-9a-f]+)/g)].map((match) => BigInt(`0x${match[1]}`));
    expect(sets).toHaveLength(5);
    for (const set of sets) expect(set & ((1n << SYS_TIME) | (1n << SYS_MODULE))).toBe(0n);
    expect(sets.every((set) => (set & (1n << SYS_ADMIN)) !== 0n)).toBe(true);
  });

  /** Only where isolation failed: nothing of it stays on the box. */
  function putBack(before: Readonly<Record<string, string>>): void {
    const after = settings(lab.name);
    for (const key of Object.keys(VALUES).map((one) => one.replaceAll('.', '/'))) {
      if (before[key] !== undefined && after[key] !== before[key]) {
        writeFileSync(join('/proc/sys', key), before[key]);
      }
    }
  }
});
