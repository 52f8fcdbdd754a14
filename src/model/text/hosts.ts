import { thousands } from './thousands.ts';

/** A name cut around one of its numbers. */
interface Cut {
  readonly before: string;
  readonly digits: string;
  readonly after: string;
}

interface Pattern {
  readonly text: string;
  /** Where its first host stood in the list. */
  readonly place: number;
  readonly hosts: readonly string[];
}

/** Longer runs of digits are serial numbers, not counters. */
const MOST_DIGITS = 9;

/**
 * Host names in the fewest words: `node[1:5000]`, `node[01:12]`, `db-a`. Leading zeros are kept; numbers may stand anywhere
 * in a name, the last one that counts up wins. In the order of the list.
 */
export function compressHosts(names: readonly string[]): readonly string[] {
  return patternsOf(names).map((pattern) => pattern.text);
}

/** Host names for one line: at most so many characters, then how many more there are. */
export function hostsText(names: readonly string[], width: number): string {
  const patterns = patternsOf(names);
  const whole = patterns.map((pattern) => pattern.text).join(', ');
  if (whole.length <= width) return whole;
  let text = '';
  let shown = 0;
  for (const pattern of patterns) {
    const longer = text === '' ? pattern.text : `${text}, ${pattern.text}`;
    const left = names.length - shown - pattern.hosts.length;
    if (`${longer} and ${thousands(left)} more`.length > width) break;
    text = longer;
    shown += pattern.hosts.length;
  }
  return shown === 0 ? `${thousands(names.length)} hosts` : `${text} and ${thousands(names.length - shown)} more`;
}

function patternsOf(names: readonly string[]): readonly Pattern[] {
  const place = new Map([...new Set(names)].map((name, i) => [name, i]));
  const found: Pattern[] = [];
  let left = [...place.keys()];
  for (let number = 1; left.length > 1; number++) {
    const cuts = new Map<string, Cut>();
    for (const name of left) {
      const cut = cutAt(name, number);
      if (cut) cuts.set(name, cut);
    }
    if (cuts.size === 0) break;
    const ranges = rangesIn(cuts);
    const taken = new Set(ranges.flatMap((range) => range.hosts));
    for (const range of ranges) {
      const first = range.hosts.reduce((least, name) => Math.min(least, place.get(name) ?? 0), names.length);
      found.push({ ...range, place: first });
    }
    left = left.filter((name) => !taken.has(name));
  }
  const alone = left.map((name) => ({ text: name, place: place.get(name) ?? 0, hosts: [name] }));
  return [...found, ...alone].sort((a, b) => a.place - b.place);
}

/** The name around its n-th number from the end. */
function cutAt(name: string, number: number): Cut | undefined {
  const runs = [...name.matchAll(/\d+/g)].filter((match) => match[0].length <= MOST_DIGITS);
  const run = runs[runs.length - number];
  if (!run) return undefined;
  return {
    before: name.slice(0, run.index),
    digits: run[0],
    after: name.slice(run.index + run[0].length),
  };
}

/** Names that differ in one number only and count up without a gap. */
function rangesIn(cuts: ReadonlyMap<string, Cut>): readonly Omit<Pattern, 'place'>[] {
  const groups = new Map<string, [string, Cut][]>();
  for (const one of cuts) {
    const shape = `${one[1].before}\0${one[1].after}`;
    const group = groups.get(shape);
    if (group) group.push(one);
    else groups.set(shape, [one]);
  }
  return [...groups.values()].flatMap((group) => {
    if (group.length < 2) return [];
    const padded = new Set(group.flatMap(([, { digits }]) => (isPadded(digits) ? [digits.length] : [])));
    const widths = new Map<number, [string, Cut][]>();
    for (const one of group) {
      const { digits } = one[1];
      const width = padded.has(digits.length) ? digits.length : 0;
      const same = widths.get(width);
      if (same) same.push(one);
      else widths.set(width, [one]);
    }
    return [...widths.values()].flatMap(runsIn);
  });
}

function isPadded(digits: string): boolean {
  return digits.length > 1 && digits.startsWith('0');
}

function runsIn(group: readonly [string, Cut][]): readonly Omit<Pattern, 'place'>[] {
  const sorted = [...group].sort((a, b) => Number(a[1].digits) - Number(b[1].digits));
  const runs: [string, Cut][][] = [];
  for (const one of sorted) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && Number(last[1].digits) + 1 === Number(one[1].digits)) run.push(one);
    else runs.push([one]);
  }
  return runs.flatMap((run) => {
    const first = run[0]?.[1];
    const last = run.at(-1)?.[1];
    if (!first || !last || run.length < 2) return [];
    const text = `${first.before}[${first.digits}:${last.digits}]${first.after}`;
    return [{ text, hosts: run.map(([name]) => name) }];
  });
}
