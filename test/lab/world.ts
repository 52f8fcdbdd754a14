import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsBefore } from '../../src/lab/nspawn/box.ts';
import { parseHierarchies } from '../../src/lab/nspawn/cgroups.ts';
import { filesBelow } from '../support/files-below.ts';

const RUN = '/run/kubexm-lab';

/** What of a lab can be seen on this box. */
export interface Traces {
  readonly processes: readonly string[];
  readonly mounts: readonly string[];
  readonly groups: readonly string[];
  readonly links: readonly string[];
  readonly files: readonly string[];
  readonly boxRecord: boolean;
}

/** Nothing at all. */
export const NO_TRACES: Traces = { processes: [], mounts: [], groups: [], links: [], files: [], boxRecord: false };

/** Looks for a lab everywhere: by its name in groups and links; by its place in all that processes hold, in mounts and files. */
export function tracesOf(lab: string, place: string): Traces {
  return {
    processes: processes(lab, place),
    mounts: read('/proc/self/mountinfo')
      .split('\n')
      .filter((line) => line.includes(place)),
    groups: groups().filter((path) => path.includes(`/kubexm-lab/${lab}-`)),
    links: readdirSync('/sys/class/net').filter((name) => name.startsWith(`kx-${lab}`)),
    files: existsSync(place) ? readdirSync(place, { recursive: true }).map(String) : [],
    boxRecord: read(join(RUN, 'box.json')).includes(place),
  };
}

/** What this box is, but for what other labs and other tests have on it at the moment. */
export interface BoxState {
  readonly mounts: readonly string[];
  readonly groups: readonly string[];
  readonly links: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  readonly modules: readonly string[];
  readonly files: readonly string[];
}

/** Looks at the whole box; what a lab leaves, wherever that is, differs afterwards. */
export function boxState(lab: string, place: string): BoxState {
  const isForeign = foreignTo(lab);
  return {
    mounts: [...mountPoints('self', place), ...mountPoints('1', place)],
    groups: groups().filter((path) => path.includes(lab)),
    links: readdirSync('/sys/class/net').filter((name) => !isForeign(name)),
    settings: settings(lab),
    modules: existsSync('/proc/modules')
      ? read('/proc/modules')
          .split('\n')
          .map((line) => line.split(' ')[0] ?? '')
      : readdirSync('/sys/module'),
    files: files(place),
  };
}

// What counts or changes by itself.
const VOLATILE =
  /^(fs\/(dentry-state|file-nr|inode-nr|inode-state|aio-nr|quota\/.*)|kernel\/(ns_last_pid|pty\/nr|random\/(uuid|entropy_avail))|net\/netfilter\/nf_conntrack_count)$/;

/** The same settings under another name. */
const ALIASES = new Map([
  ['user/max_inotify_instances', 'fs/inotify/max_user_instances'],
  ['user/max_inotify_watches', 'fs/inotify/max_user_watches'],
  ['net/nf_conntrack_max', 'net/netfilter/nf_conntrack_max'],
]);

/**
 * All settings of this box as they are without labs. Where another lab runs, what it raised counts as what it will put back:
 * that has to be right whichever process ends last.
 */
export function settings(lab: string): Readonly<Record<string, string>> {
  const isForeign = foreignTo(lab);
  for (;;) {
    const found: Record<string, string> = {};
    const before = settingsBefore();
    for (const file of filesBelow('/proc/sys')) {
      const key = file.slice('/proc/sys/'.length);
      const link = /^net\/ipv[46]\/(?:conf|neigh)\/([^/]+)\//.exec(key)?.[1];
      if (VOLATILE.test(key) || (link !== undefined && isForeign(link))) continue;
      const value = readable(file);
      if (value !== undefined) found[key] = before.get(ALIASES.get(key) ?? key) ?? value.trim();
    }
    // Another lab came or went meanwhile.
    if (JSON.stringify([...settingsBefore()]) === JSON.stringify([...before])) return found;
  }
}

/** Which links are of labs but this one. */
function foreignTo(lab: string): (link: string) => boolean {
  return (link) => link.startsWith('kx-') && !link.startsWith(`kx-${lab}`);
}

function mountPoints(pid: string, place: string): readonly string[] {
  const lines = read(`/proc/${pid}/mountinfo`).split('\n').filter(Boolean);
  const points = lines.map((line) => `${line.split(' ')[4]} ${line.split(' - ')[1]?.split(' ')[0]}`);
  // Other tests mount below directories of their own.
  return points.filter((point) => !point.startsWith(`${tmpdir()}/`) || point.startsWith(place)).sort();
}

/** The directories that labs, and the programs they use, write to; with the last lab its own is gone. */
function files(place: string): readonly string[] {
  const dirs = ['/run/systemd/nspawn', '/run/netns', '/var/lib/machines', place];
  const all = dirs.filter((dir) => existsSync(dir)).flatMap((dir) => listed(dir).map((path) => join(dir, path)));
  const left = existsSync(RUN) && !existsSync(join(RUN, 'box.json')) && !existsSync(join(RUN, 'lock')) ? [RUN] : [];
  return [...all, ...left].sort();
}

function listed(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true }).map(String);
}

function processes(lab: string, place: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((pid) => {
      const words = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
      const isOurs =
        read(`/proc/${pid}/cgroup`).includes(`kubexm-lab/${lab}-`) ||
        words.includes(`${place}/`) ||
        held(pid).some((path) => path.startsWith(`${place}/`)) ||
        read(`/proc/${pid}/mountinfo`).includes(`${place}/`);
      // One without memory has ended; the process that should have noticed was killed, or has not looked yet.
      return isOurs && /^VmSize:/m.test(read(`/proc/${pid}/status`)) ? [`${pid} ${words}`] : [];
    });
}

/** Where a process is, and which files it has open. */
function held(pid: string): readonly string[] {
  const dir = `/proc/${pid}/fd`;
  try {
    return [`/proc/${pid}/cwd`, ...readdirSync(dir).map((fd) => join(dir, fd))].map(target);
  } catch {
    return [];
  }
}

function target(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function groups(): readonly string[] {
  const below = (dir: string): readonly string[] =>
    subdirectories(dir).flatMap((name) => [join(dir, name), ...below(join(dir, name))]);
  return parseHierarchies(read('/proc/self/mountinfo')).flatMap(({ mount }) => below(mount));
}

function subdirectories(dir: string): readonly string[] {
  try {
    const entries = readdirSync(dir, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch {
    // Somebody else's, gone while it was read.
    return [];
  }
}

function readable(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function read(path: string): string {
  return readable(path) ?? '';
}
