import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { giveControllers, type Hierarchy, keptControllers, parseHierarchies } from './cgroups.ts';
import { type Lock, takeLock } from './lock.ts';
import { loadModules, missingModules, unloadModules } from './modules.ts';

/** What belongs to the whole box and not to a lab is kept here, for all users and places; a boot forgets it, as the kernel does. */
const DIR = '/run/kubexm-lab';
const FILE = join(DIR, 'box.json');
const LOCK = join(DIR, 'lock');

/** A setting of the kernel that labs need otherwise. */
interface Changed {
  readonly key: string;
  readonly before: string;
  readonly ours: string;
}

interface Member {
  readonly name: string;
  /** Whose end means that the lab is gone, however that happened. */
  readonly dir: string;
  readonly subnet: string;
}

interface BoxRecord {
  readonly boot: string;
  readonly labs: readonly Member[];
  readonly settings: readonly Changed[];
  readonly modules: readonly string[];
  /** Controllers handed on from the top of the control groups, version 2. */
  readonly controllers: readonly string[];
}

/** What a setting has to be: at least so much, or exactly that. */
interface Need {
  readonly key: string;
  readonly least?: number;
  readonly exact?: string;
}

/** What machines share with the box and cannot have of their own. */
export function neededSettings(cores: number): readonly Need[] {
  return [
    { key: 'fs/inotify/max_user_instances', least: 8192 },
    { key: 'fs/inotify/max_user_watches', least: 1_048_576 },
    // kube-proxy wants this for its machine, and a network namespace cannot change it.
    { key: 'net/netfilter/nf_conntrack_max', least: Math.max(32_768 * cores, 131_072) },
    // What passes a lab's bridge is not the business of the box's own rules.
    { key: 'net/bridge/bridge-nf-call-iptables', exact: '0' },
    { key: 'net/bridge/bridge-nf-call-ip6tables', exact: '0' },
    { key: 'net/bridge/bridge-nf-call-arptables', exact: '0' },
  ];
}

/** What to write where this is the value now; undefined when it will do. */
export function wantedValue(need: Need, now: string): string | undefined {
  if (need.exact !== undefined) return now === need.exact ? undefined : need.exact;
  return Number(now) >= (need.least ?? 0) ? undefined : String(need.least);
}

/** Runs while nobody else on this box makes or removes a lab. */
export async function withBox<T>(
  options: { readonly signal?: AbortSignal; readonly onWait?: () => void },
  act: (lock: Lock, taken: readonly string[]) => Promise<T>,
): Promise<T> {
  const lock = await takeLock(LOCK, options);
  try {
    return await act(
      lock,
      readBox().labs.map((one) => one.subnet),
    );
  } finally {
    const last = !existsSync(FILE);
    lock.release({ removeFile: last });
    if (last) removeIfEmpty(DIR);
  }
}

/** Enters a lab. Only inside of `withBox`. */
export function enterLab(member: Member): void {
  const box = readBox();
  writeBox({ ...box, labs: [...box.labs.filter((one) => one.dir !== member.dir), member] });
}

/** Sets what machines need of the box, each with its value from before on record first. Only inside of `withBox`. */
export async function prepareBox(lock: Lock): Promise<void> {
  // Modules bring settings of their own: they come first. What could be loaded is on record before, what was loaded after.
  const { modules, controllers } = readBox();
  const missing = missingModules();
  if (missing.length > 0) writeBox({ ...readBox(), modules: [...modules, ...missing] });
  const loaded = await loadModules(missing, lock.fd);
  if (missing.length > 0) writeBox({ ...readBox(), modules: [...modules, ...loaded] });
  for (const need of neededSettings(cpus().length)) {
    const now = setting(need.key);
    const ours = now === undefined ? undefined : wantedValue(need, now);
    if (now === undefined || ours === undefined) continue;
    const box = readBox();
    const first = box.settings.find((one) => one.key === need.key);
    const others = box.settings.filter((one) => one.key !== need.key);
    writeBox({ ...box, settings: [...others, { key: need.key, before: first?.before ?? now, ours }] });
    writeFileSync(join('/proc/sys', need.key), ours);
  }
  const v2 = onlyVersion2();
  const kept = v2 ? keptControllers(v2.mount) : [];
  if (!v2 || kept.length === 0) return;
  writeBox({ ...readBox(), controllers: [...controllers, ...kept] });
  writeBox({ ...readBox(), controllers: [...controllers, ...giveControllers(v2.mount, kept)] });
}

/** Leaves a lab out; after the last one the box is as it was before the first. Only inside of `withBox`. */
export async function leaveLab(dir: string, lock: Lock): Promise<void> {
  const box = readBox();
  // A lab whose directory somebody removed by hand holds nothing any more.
  const labs = box.labs.filter((one) => one.dir !== dir && existsSync(one.dir));
  if (labs.length > 0) {
    writeBox({ ...box, labs });
    return;
  }
  for (const { key, before, ours } of box.settings) {
    // Somebody else's value stays.
    if (setting(key) === ours) writeFileSync(join('/proc/sys', key), before);
  }
  await unloadModules(box.modules, lock.fd);
  const v2 = hierarchies().find((one) => one.version === 2);
  for (const name of v2 ? box.controllers : []) takeController(join(v2?.mount ?? '', 'cgroup.subtree_control'), name);
  forgetBox();
}

function readBox(): BoxRecord {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const empty = { boot, labs: [], settings: [], modules: [], controllers: [] };
  if (!existsSync(FILE)) return empty;
  const box = JSON.parse(readFileSync(FILE, 'utf8')) as BoxRecord;
  return box.boot === boot ? box : empty;
}

function writeBox(box: BoxRecord): void {
  mkdirSync(DIR, { recursive: true, mode: 0o755 });
  writeFileSync(`${FILE}.next`, `${JSON.stringify(box, undefined, 2)}\n`, { mode: 0o644 });
  renameSync(`${FILE}.next`, FILE);
}

function forgetBox(): void {
  for (const file of [`${FILE}.next`, FILE]) rmSync(file, { force: true });
}

function hierarchies(): readonly Hierarchy[] {
  return parseHierarchies(readFileSync('/proc/self/mountinfo', 'utf8'));
}

/** The one tree; beside those of version 1 it has nothing to hand on. */
function onlyVersion2(): Hierarchy | undefined {
  const all = hierarchies();
  return all.length === 1 && all[0]?.version === 2 ? all[0] : undefined;
}

function setting(key: string): string | undefined {
  try {
    return readFileSync(join('/proc/sys', key), 'utf8').trim();
  } catch {
    return undefined;
  }
}

function takeController(file: string, name: string): void {
  try {
    writeFileSync(file, `-${name}`);
  } catch {
    // Somebody uses it by now.
  }
}

function removeIfEmpty(dir: string): void {
  try {
    rmdirSync(dir);
  } catch {
    // Somebody is waiting in it.
  }
}
