import { join } from 'node:path';
import { compareEntries } from './compare.ts';
import { type FileEntry, type FileIndex, facetOf } from './file-entry.ts';
import { candidatePaths, type Origin, originOf, withBound } from './overlay.ts';
import type { Difference, Facet } from './types.ts';
import { digestOf, filesAt, indexTree, pathsBelow } from './walk.ts';

/** Where the files of a machine are on the box. */
export interface MachineFiles {
  /** The machine's own layer of the overlay. */
  readonly upperDir: string;
  /** The image below it. */
  readonly baseDir: string;
  /** Directories of the box that are bound into it. */
  readonly dataDirs: readonly { readonly inside: string; readonly outside: string }[];
}

/** The files a machine has of its own, and when they were looked at, in milliseconds. */
export interface FileSnapshot {
  readonly at: number;
  readonly files: FileIndex;
}

// Accounts are compared line by line, in sections of their own: what may remain is a user, not a file.
const COMPARED_ELSEWHERE = new Set([
  '/etc/passwd',
  '/etc/group',
  '/etc/shadow',
  '/etc/gshadow',
  '/etc/subuid',
  '/etc/subgid',
]);

/** The time within which two writes can have one stamp: a file that young is read again. */
const STAMP_MS = 1000;

/** Looks at a machine's own files. `whole` also reads them, so that later changes of content are seen. */
export async function lookAtFiles(machine: MachineFiles, whole: boolean): Promise<FileSnapshot> {
  const at = Date.now();
  const upper = await indexTree(machine.upperDir, '/');
  const bound = [];
  for (const { inside, outside } of machine.dataDirs) bound.push({ inside, files: await indexTree(outside, inside) });
  const files = withBound(upper, bound);
  return { at, files: whole ? await withDigests(machine, files) : files };
}

/** What differs between two looks, by content, permissions, owner and attributes. */
export async function compareFiles(
  machine: MachineFiles,
  before: FileSnapshot,
  after: FileSnapshot,
): Promise<Difference[]> {
  const below = await hiddenPaths(machine, before.files, after.files);
  const paths = [...candidatePaths(before.files, after.files, (path) => below.get(path) ?? [])];
  const origins = paths.map((path) => ({
    path,
    old: originOf(before.files, path),
    now: originOf(after.files, path),
  }));
  const lower = await filesAt(
    machine.baseDir,
    origins.filter(({ old, now }) => (old.from === 'lower') !== (now.from === 'lower')).map(({ path }) => path),
  );
  const oldFacets = new Map<string, Facet>();
  const nowFacets = new Map<string, Facet>();
  for (const { path, old, now } of origins) {
    if (old.from === 'lower' && now.from === 'lower') continue;
    const pair = await comparable(machine, path, entryOf(old, path, lower), entryOf(now, path, lower), before.at, {
      oldIsLower: old.from === 'lower',
      nowIsLower: now.from === 'lower',
    });
    if (pair.old) oldFacets.set(path, facetOf(pair.old));
    if (pair.now) nowFacets.set(path, facetOf(pair.now));
  }
  return compareEntries('file', oldFacets, nowFacets);
}

interface Pair {
  readonly old: FileEntry | undefined;
  readonly now: FileEntry | undefined;
}

/** Both files with what is needed to compare them: their content only where everything else leaves it open. */
async function comparable(
  machine: MachineFiles,
  path: string,
  old: FileEntry | undefined,
  now: FileEntry | undefined,
  lookedAt: number,
  from: { readonly oldIsLower: boolean; readonly nowIsLower: boolean },
): Promise<Pair> {
  if (old?.type !== 'file' || now?.type !== 'file') return { old: old && bare(old), now: now && bare(now) };
  if (COMPARED_ELSEWHERE.has(path)) return { old: withoutContent(old), now: withoutContent(now) };
  if (old.size !== now.size) return { old: bare(old), now: bare(now) };
  const touched = from.oldIsLower || from.nowIsLower || old.stamp !== now.stamp || !isSettled(old, lookedAt);
  if (!touched) return { old: bare(old), now: bare(now) };
  const lowerFile = join(machine.baseDir, path);
  const oldSum = from.oldIsLower ? await digestOf(lowerFile) : old.sha256;
  const nowSum = from.nowIsLower ? await digestOf(lowerFile) : await digestOf(outerPath(machine, path));
  return { old: { ...bare(old), ...summed(oldSum) }, now: { ...bare(now), ...summed(nowSum) } };
}

async function withDigests(machine: MachineFiles, files: FileIndex): Promise<FileIndex> {
  const whole = new Map<string, FileEntry>();
  for (const [path, entry] of files) {
    const isRead = entry.type === 'file' && entry.hides === undefined && !COMPARED_ELSEWHERE.has(path);
    const sha256 = isRead ? await digestOf(outerPath(machine, path)) : undefined;
    whole.set(path, { ...entry, ...summed(sha256) });
  }
  return whole;
}

/** What the image has below every path that may hide it in one look and not in the other. */
async function hiddenPaths(
  machine: MachineFiles,
  before: FileIndex,
  after: FileIndex,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const places = new Set<string>();
  candidatePaths(before, after, (path) => {
    places.add(path);
    return [];
  });
  const below = new Map<string, readonly string[]>();
  for (const path of places) below.set(path, await pathsBelow(machine.baseDir, path));
  return below;
}

function entryOf(origin: Origin, path: string, lower: FileIndex): FileEntry | undefined {
  if (origin.from === 'upper') return origin.entry;
  return origin.from === 'lower' ? lower.get(path) : undefined;
}

/** Where the box has a file that is in the machine's own layer or in a bound directory. */
function outerPath({ upperDir, dataDirs }: MachineFiles, path: string): string {
  const bound = dataDirs.find(({ inside }) => path === inside || path.startsWith(`${inside}/`));
  return bound ? join(bound.outside, path.slice(bound.inside.length)) : join(upperDir, path);
}

function isSettled({ stamp }: FileEntry, lookedAt: number): boolean {
  const changedNs = Number(stamp?.split('.')[1] ?? Number.POSITIVE_INFINITY);
  return changedNs / 1e6 < lookedAt - STAMP_MS;
}

function bare({ sha256: _, ...entry }: FileEntry): FileEntry {
  return entry;
}

function withoutContent({ sha256: _, size: __, ...entry }: FileEntry): FileEntry {
  return entry;
}

function summed(sha256: string | undefined): { readonly sha256?: string } {
  return sha256 === undefined ? {} : { sha256 };
}
