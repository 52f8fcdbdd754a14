import type { Difference } from '../../index.ts';
import type { Say } from '../texts/index.ts';

/** A difference as a line for people: `path` with what lies below it folded into one. */
export interface DiffRow {
  readonly difference: Difference;
  /** How many more came or went with it, below it. */
  readonly below: number;
}

/** Folds the contents of directories that came or went as a whole. */
export function foldTrees(differences: readonly Difference[]): DiffRow[] {
  const rows: { difference: Difference; below: number }[] = [];
  const tops = new Map<string, { difference: Difference; below: number }>();
  for (const difference of differences) {
    const top = difference.section === 'file' ? topOf(difference, tops) : undefined;
    if (top !== undefined) {
      top.below++;
      continue;
    }
    const row = { difference, below: 0 };
    rows.push(row);
    const type = (difference.after ?? difference.before)?.['type'];
    if (difference.section === 'file' && difference.change !== 'changed' && type === 'directory') {
      tops.set(`${difference.change} ${difference.key}`, row);
    }
  }
  return rows;
}

function topOf<T>({ key, change }: Difference, tops: ReadonlyMap<string, T>): T | undefined {
  for (let at = key.lastIndexOf('/'); at > 0; at = key.lastIndexOf('/', at - 1)) {
    const found = tops.get(`${change} ${key.slice(0, at)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const LONGEST = 60;

/** What differs, in a few words: `mode 0644 → 0600, owner 0:0 → 5:6`. */
export function differenceText({ difference, below }: DiffRow, say: Say, whole: boolean): string {
  const { before = {}, after = {}, change } = difference;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const short = (text: string | undefined) => {
    const line = (text ?? '–').replaceAll('\n', ' ⏎ ');
    return whole || line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
  };
  const parts = names.map((name) => {
    if (change === 'changed') return `${name} ${short(before[name])} → ${short(after[name])}`;
    return `${name} ${short((change === 'added' ? after : before)[name])}`;
  });
  const shown = whole || change === 'changed' ? parts : parts.slice(0, 4);
  return [...shown, ...(below > 0 ? [say('diff.below', { n: below })] : [])].join(say('listComma'));
}
