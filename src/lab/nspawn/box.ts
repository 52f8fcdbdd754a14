import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { replaceFileSync } from '../../local/files.ts';
import { kubexmError } from '../../model/errors/index.ts';
import { giveControllers, type Hierarchy, keptControllers, parseHierarchies } from './cgroups.ts';
import { type Lock, takeLock } from './lock.ts';
import { loadModules, missingModules, unloadModules } from './modules.ts';

/** Where the box's record and its settings are. */
export interface BoxPlaces {
  readonly dir: string;
  readonly settings: string;
}

/** What belongs to the whole box and not to a lab is kept here, for all users and places; a boot forgets it, as the kernel does. */
const PLACES: BoxPlaces = { dir: '/run/kubexm-lab', settings: '/proc/sys' };

/** A setting of the kernel that labs need otherwise. */
interface Changed {
  readonly key: string;
  readonly before: string;
  readonly ours: string;
}

/** A lab on this box, with what tells its groups and its link from everybody else's. */
export interface Member {
  readonly name: string;
  /** Whose end means that the lab is gone, however that happened. */
  readonly dir: string;
  readonly subnet: string;
  readonly id: string;
  readonly link: string;
  readonly mac: string;
}

interface BoxRecord {
  readonly boot: string;
  readonly labs: readonly Member[];
  readonly settings: readonly Changed[];
  readonly modules: readonly string[];
  /** Controllers handed on from the top of the control groups, version 2. */
  readonly controllers: readonly string[];
}

/** What a setting has to be at least. */
interface Need {
  readonly key: string;
  readonly least: number;
}

/** What machines share with the box and cannot have of their own. */
export function neededSettings(cores: number): readonly Need[] {
  return [
    { key: 'fs/inotify/max_user_instances', least: 8192 },
    { key: 'fs/inotify/max_user_watches', least: 1_048_576 },
    // kube-proxy wants this for its machine, and a network namespace cannot change it.
    { key: 'net/netfilter/nf_conntrack_max', least: Math.max(32_768 * cores, 131_072) },
  ];
}

/** What to write where this is the value now; undefined when it will do. */
export function wantedValue(need: Need, now: string): string | undefined {
  return Number(now) >= need.least ? undefined : String(need.least);
}

/** Runs while nobody else on this box makes or removes a lab. */
export async function withBox<T>(
  options: { readonly signal?: AbortSignal; readonly onWait?: () => void },
  act: (lock: Lock, taken: readonly string[]) => Promise<T>,
  places = PLACES,
): Promise<T> {
  const lock = await takeLock(join(places.dir, 'lock'), options);
  try {
    return await act(
      lock,
      readBox(places).labs.map((one) => one.subnet),
    );
  } finally {
    const last = !existsSync(boxFile(places));
    lock.release({ removeFile: last });
    if (last) removeIfEmpty(places.dir);
  }
}

/** Enters a lab. Only inside of `withBox`. */
export function enterLab(member: Member, places = PLACES): void {
  const box = readBox(places);
  writeBox({ ...box, labs: [...box.labs.filter((one) => one.dir !== member.dir), member] }, places);
}

/** What the box knows of the lab in this directory: since the box was started it was entered before it made anything. */
export function memberIn(dir: string, places = PLACES): Member | undefined {
  return readBox(places).labs.find((one) => one.dir === dir);
}

/** Sets what machines need of the box, each with its value from before on record first. Only inside of `withBox`. */
export async function prepareBox(lock: Lock): Promise<void> {
  // Modules bring settings of their own: they come first. What could be loaded is on record before, what was loaded after.
  const { modules, controllers } = readBox();
  const missing = missingModules();
  if (missing.length > 0) writeBox({ ...readBox(), modules: [...modules, ...missing] });
  const loaded = await loadModules(missing, lock.fd);
  if (missing.length > 0) writeBox({ ...readBox(), modules: [...modules, ...loaded] });
  raiseSettings(neededSettings(cpus().length));
  const v2 = onlyVersion2();
  const kept = v2 ? keptControllers(v2.mount) : [];
  if (!v2 || kept.length === 0) return;
  writeBox({ ...readBox(), controllers: [...controllers, ...kept] });
  writeBox({ ...readBox(), controllers: [...controllers, ...giveControllers(v2.mount, kept)] });
}

/** Raises what is too low, and only that. A value that somebody changed since is theirs, and the one to put back. */
export function raiseSettings(needs: readonly Need[], places = PLACES): void {
  for (const need of needs) {
    const now = setting(need.key, places);
    const ours = now === undefined ? undefined : wantedValue(need, now);
    if (now === undefined || ours === undefined) continue;
    const box = readBox(places);
    const first = box.settings.find((one) => one.key === need.key);
    const others = box.settings.filter((one) => one.key !== need.key);
    const before = first?.ours === now ? first.before : now;
    writeBox({ ...box, settings: [...others, { key: need.key, before, ours }] }, places);
    writeFileSync(join(places.settings, need.key), ours);
  }
}

/** Leaves a lab out; after the last one the box is as it was before the first. Only inside of `withBox`. */
export async function leaveLab(dir: string, lock: Lock): Promise<void> {
  if (!isLastToLeave(dir)) return;
  restoreSettings();
  const box = readBox();
  await unloadModules(box.modules, lock.fd);
  const v2 = hierarchies().find((one) => one.version === 2);
  for (const name of v2 ? box.controllers : []) takeController(join(v2?.mount ?? '', 'cgroup.subtree_control'), name);
  forgetBox(PLACES);
}

/** Takes a lab from the record; true when no other one is left, and then it stays until the box is as it was. */
export function isLastToLeave(dir: string, places = PLACES): boolean {
  const box = readBox(places);
  // A lab whose directory somebody removed by hand holds nothing any more.
  const labs = box.labs.filter((one) => one.dir !== dir && existsSync(one.dir));
  if (labs.length > 0) writeBox({ ...box, labs }, places);
  return labs.length === 0;
}

/** Puts settings back to what they were; somebody else's value stays. */
export function restoreSettings(places = PLACES): void {
  for (const { key, before, ours } of readBox(places).settings) {
    if (setting(key, places) === ours) writeFileSync(join(places.settings, key), before);
  }
}

/** The settings that labs changed, each with its value from before: what they are without labs. */
export function settingsBefore(places = PLACES): ReadonlyMap<string, string> {
  const changed = readBox(places).settings.filter(({ key, ours }) => setting(key, places) === ours);
  return new Map(changed.map(({ key, before }) => [key, before]));
}

function readBox(places = PLACES): BoxRecord {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const empty = { boot, labs: [], settings: [], modules: [], controllers: [] };
  const file = boxFile(places);
  if (!existsSync(file)) return empty;
  try {
    const box = JSON.parse(readFileSync(file, 'utf8')) as Partial<BoxRecord>;
    return box.boot === boot ? { ...empty, ...box } : empty;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw kubexmError('KX6024', { file, reason }, { cause: error });
  }
}

function writeBox(box: BoxRecord, places = PLACES): void {
  mkdirSync(places.dir, { recursive: true, mode: 0o755 });
  const file = boxFile(places);
  replaceFileSync(file, `${JSON.stringify(box, undefined, 2)}\n`, { isNote: true, mode: 0o644, draft: `${file}.next` });
}

function forgetBox(places: BoxPlaces): void {
  for (const file of [`${boxFile(places)}.next`, boxFile(places)]) rmSync(file, { force: true });
}

function boxFile(places: BoxPlaces): string {
  return join(places.dir, 'box.json');
}

function hierarchies(): readonly Hierarchy[] {
  return parseHierarchies(readFileSync('/proc/self/mountinfo', 'utf8'));
}

/** The one tree; beside those of version 1 it has nothing to hand on. */
function onlyVersion2(): Hierarchy | undefined {
  const all = hierarchies();
  return all.length === 1 && all[0]?.version === 2 ? all[0] : undefined;
}

function setting(key: string, places: BoxPlaces): string | undefined {
  try {
    return readFileSync(join(places.settings, key), 'utf8').trim();
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
