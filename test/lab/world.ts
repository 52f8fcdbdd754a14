import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { neededSettings } from '../../src/lab/nspawn/box.ts';
import { parseHierarchies } from '../../src/lab/nspawn/cgroups.ts';

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

/** Looks for a lab everywhere: by its name in groups and links, by its place in command lines, mounts and files. */
export function tracesOf(lab: string, place: string): Traces {
  return {
    processes: processes(lab, place),
    mounts: read('/proc/self/mountinfo')
      .split('\n')
      .filter((line) => line.includes(place)),
    groups: groups(lab),
    links: readdirSync('/sys/class/net').filter((name) => name.startsWith(`kx-${lab}`)),
    files: existsSync(place) ? readdirSync(place, { recursive: true }).map(String) : [],
    boxRecord: read('/run/kubexm-lab/box.json').includes(place),
  };
}

/** The settings of this box that labs change, where no lab is: undefined while somebody else has one. */
export function settingsWithoutLabs(): Readonly<Record<string, string>> | undefined {
  if (existsSync('/run/kubexm-lab/box.json')) return undefined;
  return Object.fromEntries(neededSettings(1).map(({ key }) => [key, read(join('/proc/sys', key)).trim()]));
}

function processes(lab: string, place: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((pid) => {
      const words = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
      const isOurs = read(`/proc/${pid}/cgroup`).includes(`kubexm-lab/${lab}-`) || words.includes(`${place}/`);
      // A zombie has ended; whoever should have noticed was killed.
      return isOurs && !/^State:\s+Z/m.test(read(`/proc/${pid}/status`)) ? [`${pid} ${words}`] : [];
    });
}

function groups(lab: string): readonly string[] {
  return parseHierarchies(read('/proc/self/mountinfo')).flatMap(({ mount }) => {
    const top = join(mount, 'kubexm-lab');
    return existsSync(top) ? readdirSync(top).filter((name) => name.startsWith(`${lab}-`)) : [];
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
