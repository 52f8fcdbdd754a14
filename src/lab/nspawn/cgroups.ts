import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** One tree of control groups on the box. */
export interface Hierarchy {
  readonly version: 1 | 2;
  readonly mount: string;
  /** Of version 1, `name=systemd` among them; empty for version 2. */
  readonly controllers: readonly string[];
}

/** Everything of labs is below this group, in every tree. */
const TOP = 'kubexm-lab';
const NOT_CONTROLLERS = new Set([
  'rw',
  'ro',
  'xattr',
  'clone_children',
  'cpuset_v2_mode',
  'noprefix',
  'nsdelegate',
  'memory_recursiveprot',
  'memory_localevents',
]);

/** The trees that /proc/self/mountinfo names, each once. */
export function parseHierarchies(mountinfo: string): readonly Hierarchy[] {
  const found = new Map<string, Hierarchy>();
  for (const line of mountinfo.split('\n')) {
    const [left = '', right = ''] = line.split(' - ');
    const mount = (left.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    const [type, , options = ''] = right.split(' ');
    if (!mount.startsWith('/sys/fs/cgroup')) continue;
    if (type === 'cgroup2') found.set('2', { version: 2, mount, controllers: [] });
    if (type !== 'cgroup') continue;
    const controllers = options
      .split(',')
      .filter((one) => !NOT_CONTROLLERS.has(one) && !one.startsWith('release_agent='));
    found.set(controllers.join(), { version: 1, mount, controllers });
  }
  return [...found.values()];
}

/** The tree whose groups tell which processes are a machine's. */
export function mainHierarchy(all: readonly Hierarchy[]): Hierarchy | undefined {
  const v1 = all.filter((one) => one.version === 1);
  return (
    v1.find((one) => one.controllers.includes('pids')) ??
    v1.find((one) => one.controllers.includes('name=systemd')) ??
    v1[0] ??
    all[0]
  );
}

/** The files that limit a group's memory. */
export function memoryFile(
  all: readonly Hierarchy[],
): { readonly hierarchy: Hierarchy; readonly file: string } | undefined {
  const v1 = all.find((one) => one.controllers.includes('memory'));
  if (v1) return { hierarchy: v1, file: 'memory.limit_in_bytes' };
  const v2 = all.length === 1 && all[0]?.version === 2 ? all[0] : undefined;
  return v2 && { hierarchy: v2, file: 'memory.max' };
}

/** The control groups of one lab. */
export class Cgroups {
  readonly all: readonly Hierarchy[];
  readonly #lab: string;

  /** `lab`: the group's name, nobody else's on this box. */
  constructor(lab: string, all: readonly Hierarchy[] = parseHierarchies(readFileSync('/proc/self/mountinfo', 'utf8'))) {
    this.#lab = lab;
    this.all = all;
  }

  /** A member's group in every tree. */
  paths(member: string): readonly string[] {
    return this.all.map((one) => this.#path(one, member));
  }

  /** A member's group in the tree that tells its processes. */
  main(member: string): string {
    const main = mainHierarchy(this.all);
    if (!main) throw new Error('there are no control groups');
    return this.#path(main, member);
  }

  /** Makes a machine's groups, in every tree, with its limit. */
  makeMachine(member: string, memoryBytes: number | undefined): void {
    for (const one of this.all) this.#make(one, member);
    const memory = memoryFile(this.all);
    if (memoryBytes === undefined || !memory) return;
    const file = join(this.#path(memory.hierarchy, member), memory.file);
    if (existsSync(file)) writeFileSync(file, String(memoryBytes));
  }

  /** Makes a group that only tells whose processes are in it. */
  makeHelper(member: string): void {
    const main = mainHierarchy(this.all);
    if (main) this.#make(main, member);
  }

  /** All processes of a member, those of groups that it made itself too. */
  processes(member: string): readonly number[] {
    return processesBelow(this.main(member));
  }

  /** Kills all of these members' processes and waits until they are gone; false when some are not. */
  async kill(members: readonly string[], timeoutMs = 20_000): Promise<boolean> {
    for (const deadline = Date.now() + timeoutMs; ; await sleep(20)) {
      const pids = members.flatMap((member) => this.processes(member));
      if (pids.length === 0) return true;
      for (const pid of pids) kill(pid);
      if (Date.now() > deadline) return false;
    }
  }

  /** Removes the groups of these members, or of the whole lab; false when something is still in them. */
  async remove(members: readonly string[] | 'all', timeoutMs = 10_000): Promise<boolean> {
    const roots = this.all.map((one) => join(one.mount, TOP, this.#lab));
    const dirs = members === 'all' ? roots : roots.flatMap((root) => members.map((member) => join(root, member)));
    let left = dirs;
    for (const deadline = Date.now() + timeoutMs; ; await sleep(20)) {
      left = left.filter((dir) => !removeTree(dir));
      if (left.length === 0) break;
      if (Date.now() > deadline) return false;
    }
    if (members === 'all') for (const one of this.all) removeTree(join(one.mount, TOP), false);
    return true;
  }

  #path(one: Hierarchy, member: string): string {
    return join(one.mount, TOP, this.#lab, member);
  }

  #make(one: Hierarchy, member: string): void {
    const dir = this.#path(one, member);
    const parents = [join(one.mount, TOP), join(one.mount, TOP, this.#lab)];
    mkdirSync(dir, { recursive: true });
    if (one.version === 2) {
      for (const parent of parents) giveControllers(parent, keptControllers(parent));
    } else if (one.controllers.includes('cpuset')) {
      for (const group of [...parents, dir]) inheritCpus(group);
    }
  }
}

/** The controllers that a group has and does not hand on to the groups below it. */
export function keptControllers(group: string): readonly string[] {
  const words = (file: string): string[] => read(join(group, file)).split(/\s+/).filter(Boolean);
  const given = words('cgroup.subtree_control');
  return words('cgroup.controllers').filter((name) => !given.includes(name));
}

/** Hands controllers on, one by one: one that cannot be given must not keep the others. Answers which were. */
export function giveControllers(group: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    try {
      writeFileSync(join(group, 'cgroup.subtree_control'), `+${name}`);
      return true;
    } catch {
      return false;
    }
  });
}

/** Version 1 lets no process into a group whose processors nobody named. */
function inheritCpus(group: string): void {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    if (read(join(group, file)).trim() === '') writeFileSync(join(group, file), read(join(dirname(group), file)));
  }
  writeFileSync(join(group, 'cgroup.clone_children'), '1');
}

function processesBelow(dir: string): readonly number[] {
  const own = read(join(dir, 'cgroup.procs')).split('\n').filter(Boolean).map(Number);
  return [...own, ...subgroups(dir).flatMap(processesBelow)];
}

function removeTree(dir: string, deep = true): boolean {
  try {
    if (deep) for (const child of subgroups(dir)) removeTree(child);
    rmdirSync(dir);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

function subgroups(dir: string): readonly string[] {
  try {
    const entries = readdirSync(dir, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => join(dir, entry.name));
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
