import type { FileEntry, FileIndex } from './file-entry.ts';

/** Where a path of a machine comes from: its own layer, the image below, or nowhere. */
export type Origin = { readonly from: 'upper'; readonly entry: FileEntry } | { readonly from: 'lower' | 'nowhere' };

const LOWER: Origin = { from: 'lower' };
const NOWHERE: Origin = { from: 'nowhere' };

/** What the machine sees at a path, derived from its own layer by the rules of overlayfs. */
export function originOf(upper: FileIndex, path: string): Origin {
  const entry = upper.get(path);
  if (entry !== undefined) return entry.hides === 'whiteout' ? NOWHERE : { from: 'upper', entry };
  for (let parent = parentOf(path); parent !== undefined; parent = parentOf(parent)) {
    const above = upper.get(parent);
    if (above !== undefined && coversLower(above)) return NOWHERE;
  }
  return LOWER;
}

/** The paths at which two layers over the same image may differ. `lowerBelow` lists what the image has below a path. */
export function candidatePaths(
  before: FileIndex,
  after: FileIndex,
  lowerBelow: (path: string) => readonly string[],
): Set<string> {
  const paths = new Set([...before.keys(), ...after.keys()]);
  for (const path of [...paths]) {
    const wasCovered = isCovered(before, path);
    const isNowCovered = isCovered(after, path);
    // Where one of the layers hides the image and the other shows it, all that the image has there came or went.
    if (wasCovered !== isNowCovered) for (const below of lowerBelow(path)) paths.add(below);
  }
  return paths;
}

/** The layer of a machine with directories of the box bound into it: they hide what lies below their place. */
export function withBound(
  upper: FileIndex,
  bound: readonly { readonly inside: string; readonly files: FileIndex }[],
): FileIndex {
  const isHidden = (path: string) => bound.some(({ inside }) => path === inside || path.startsWith(`${inside}/`));
  const own = [...upper].filter(([path]) => !isHidden(path));
  const theirs = bound.flatMap(({ inside, files }) =>
    [...files].map(([path, entry]): [string, FileEntry] =>
      path === inside ? [path, { ...entry, hides: 'opaque' }] : [path, entry],
    ),
  );
  return new Map([...own, ...theirs]);
}

function isCovered(upper: FileIndex, path: string): boolean {
  for (let at: string | undefined = path; at !== undefined; at = parentOf(at)) {
    const entry = upper.get(at);
    if (entry !== undefined && coversLower(entry)) return true;
  }
  return false;
}

/** Whether what the image has below this place is hidden. */
function coversLower(entry: FileEntry): boolean {
  return entry.type !== 'directory' || entry.hides !== undefined;
}

function parentOf(path: string): string | undefined {
  if (path === '/') return undefined;
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
