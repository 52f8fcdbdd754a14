import type { DiskFact, Facts, MountFact } from '../../model/facts.ts';
import { capabilityNames } from './capabilities.ts';
import { addressesOf, routesOf } from './network.ts';
import { familyOf, keyValues, kubernetesArch } from './os.ts';
import { type RawFacts, splitFacts } from './raw.ts';

/** When the clock was asked and answered here, in milliseconds, and who logged in. */
export interface FactsTiming {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly user?: string;
}

/** Reads what `kx_facts` printed. Whatever the machine could not tell is left empty, never guessed. */
export function parseFacts(text: string, timing: FactsTiming): Facts {
  const raw = splitFacts(text);
  const os = keyValues(raw.file('/etc/os-release') || raw.file('/usr/lib/os-release'));
  const memory = keyValues(raw.file('/proc/meminfo'), ':');
  const id = (os.get('ID') ?? '').toLowerCase();
  if (raw.file('/proc/meminfo') === '') throw new Error('/proc is not mounted, or this is not Linux');
  return {
    hostname: raw.word('/proc/sys/kernel/hostname') || raw.word('/etc/hostname'),
    machineId: raw.word('/etc/machine-id'),
    os: {
      id,
      version: os.get('VERSION_ID') ?? os.get('BUILD_ID') ?? '',
      name: os.get('PRETTY_NAME') ?? os.get('NAME') ?? id,
      family: familyOf(id, os.get('ID_LIKE') ?? ''),
    },
    arch: kubernetesArch(raw.section('machine').trim()),
    kernel: raw.word('/proc/sys/kernel/osrelease'),
    cpus: countCpus(raw.word('/sys/devices/system/cpu/online')),
    memoryBytes: kilobytes(memory.get('MemTotal')),
    swapBytes: kilobytes(memory.get('SwapTotal')),
    disks: disksOf(raw),
    mounts: mountsOf(raw),
    addresses: addressesOf(raw),
    routes: routesOf(raw),
    init: initOf(raw),
    packageManager: packageManagerOf(raw),
    cgroup: cgroupOf(raw.file('/proc/mounts')),
    capabilities: capabilityNames(keyValues(raw.file('/proc/self/status'), ':').get('CapEff') ?? ''),
    timeOffsetMs: timeOffset(raw.section('time').trim(), timing),
    timezone: timezoneOf(raw),
    ntp: ntpOf(raw),
    selinux: selinuxOf(raw),
    firewall: firewallOf(raw),
    virtualization: virtualizationOf(raw),
    resolver: resolverOf(raw),
    user: timing.user ?? '',
    root: raw.section('uid').trim() === '0',
    commands: raw.lines('commands'),
  };
}

/** `0-3,8` as a number of CPUs. */
function countCpus(online: string): number {
  return online.split(',').reduce((sum, range) => {
    const [from, to = from] = range.split('-').map(Number);
    return from === undefined || to === undefined || Number.isNaN(from) ? sum : sum + to - from + 1;
  }, 0);
}

function kilobytes(value: string | undefined): number {
  return Number.parseInt(value ?? '0', 10) * 1024;
}

function disksOf(raw: RawFacts): DiskFact[] {
  return raw.paths.flatMap((path) => {
    const name = path.match(/^\/sys\/block\/([^/]+)\/size$/)?.[1];
    const bytes = Number(raw.word(path)) * 512;
    if (name === undefined || !(bytes > 0)) return [];
    return [{ name, bytes, rotational: raw.word(`/sys/block/${name}/queue/rotational`) === '1' }];
  });
}

function mountsOf(raw: RawFacts): MountFact[] {
  const types = new Map(
    raw
      .file('/proc/mounts')
      .split('\n')
      .map((line) => line.split(' '))
      .map((words) => [words[1], words[2]]),
  );
  const seen = new Map<string, MountFact>();
  for (const line of raw.lines('space')) {
    const [blocks, available, size, ...rest] = line.split(' ');
    const path = rest.join(' ');
    const [bytes, freeBytes] = [Number(blocks) * Number(size), Number(available) * Number(size)];
    if (path === '' || !(bytes > 0)) continue;
    seen.set(path, { path, type: types.get(path) ?? '', bytes, freeBytes });
  }
  return [...seen.values()];
}

function initOf(raw: RawFacts): Facts['init'] {
  const first = raw.word('/proc/1/comm');
  if (raw.marked('/run/systemd/system')) return 'systemd';
  if (raw.marked('/run/openrc')) return 'openrc';
  return first === 'init' && raw.marked('/etc/inittab') ? 'sysv' : 'none';
}

function packageManagerOf(raw: RawFacts): Facts['packageManager'] {
  const commands = raw.lines('commands');
  if (commands.includes('apt-get')) return 'apt';
  return (['dnf', 'yum', 'zypper', 'apk', 'pacman'] as const).find((name) => commands.includes(name)) ?? 'none';
}

/** Version 2 only when the whole tree is: kubelet asks the same. */
function cgroupOf(mounts: string): 0 | 1 | 2 {
  if (/^\S+ \/sys\/fs\/cgroup cgroup2 /m.test(mounts)) return 2;
  return /^\S+ \S+ cgroup2? /m.test(mounts) ? 1 : 0;
}

/** The middle of the round trip is when the machine looked at its clock. */
function timeOffset(time: string, { sentAt, receivedAt }: FactsTiming): number {
  const [seconds = '', fraction = ''] = time.split('.');
  if (!/^\d+$/.test(seconds)) return 0;
  // A `date` without %N knows whole seconds only: half of one is the best guess.
  const ms = /^\d+$/.test(fraction) ? Number(`0.${fraction}`) * 1000 : 500;
  return Math.round(Number(seconds) * 1000 + ms - (sentAt + receivedAt) / 2);
}

function timezoneOf(raw: RawFacts): string {
  const [first = '', second = ''] = raw.lines('zone');
  const linked = first.match(/zoneinfo\/(.+)$/)?.[1];
  return linked ?? (raw.word('/etc/timezone') || (first.startsWith('/') || first.startsWith('.') ? second : first));
}

function ntpOf(raw: RawFacts): Facts['ntp'] {
  const running = raw.lines('processes');
  if (running.includes('chronyd')) return 'chrony';
  if (running.includes('ntpd')) return 'ntpd';
  return running.includes('systemd-timesyn') ? 'timesyncd' : 'none';
}

function selinuxOf(raw: RawFacts): Facts['selinux'] {
  const enforce = raw.word('/sys/fs/selinux/enforce');
  if (enforce !== '') return enforce === '1' ? 'enforcing' : 'permissive';
  return raw.file('/etc/selinux/config') === '' ? 'absent' : 'disabled';
}

function firewallOf(raw: RawFacts): Facts['firewall'] {
  const ufw = /^ENABLED=["']?yes/im.test(raw.file('/etc/ufw/ufw.conf'));
  return [
    ...(raw.lines('processes').includes('firewalld') ? ['firewalld' as const] : []),
    ...(ufw ? ['ufw' as const] : []),
  ];
}

function virtualizationOf(raw: RawFacts): string {
  const told = raw.section('virtualization').trim();
  if (told !== '') return told;
  if (raw.marked('/.dockerenv')) return 'docker';
  if (raw.marked('/run/.containerenv')) return 'podman';
  const container = raw.word('/run/systemd/container');
  if (container !== '') return container;
  const maker = `${raw.file('/sys/class/dmi/id/sys_vendor')} ${raw.file('/sys/class/dmi/id/product_name')}`;
  const known: readonly [RegExp, string][] = [
    [/QEMU|KVM/i, 'kvm'],
    [/VMware/i, 'vmware'],
    [/VirtualBox|innotek/i, 'oracle'],
    [/Microsoft.*Virtual/is, 'microsoft'],
    [/Xen/i, 'xen'],
    [/Amazon EC2/i, 'amazon'],
    [/Google Compute/i, 'google'],
  ];
  return known.find(([pattern]) => pattern.test(maker))?.[1] ?? (raw.word('/sys/hypervisor/type') || 'none');
}

function resolverOf(raw: RawFacts): Facts['resolver'] {
  const content = raw.file('/etc/resolv.conf');
  const link = raw.section('resolver').trim();
  if (content === '' && !raw.paths.includes('/etc/resolv.conf')) return 'absent';
  if (link.includes('systemd/resolve') || /^nameserver\s+127\.0\.0\.53/m.test(content)) return 'systemd-resolved';
  return link.includes('NetworkManager') || content.includes('Generated by NetworkManager') ? 'networkmanager' : 'file';
}
