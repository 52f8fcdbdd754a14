/** More names than this in one range is a slip of the keyboard. */
export const RANGE_LIMIT = 10_000;

/** What is wrong with a range. */
export type RangeFault = 'malformed' | 'reversed' | 'padding' | 'too many';

/** The names a range stands for, or what is wrong with it. */
export type Range = { readonly names: readonly string[] } | { readonly fault: RangeFault };

const PART = /\[(\d+):(\d+)\]/;

/** Expands `node[5:6]` and `node[01:12]`; several brackets multiply. A name without brackets stands for itself. */
export function expandRange(text: string): Range {
  if (!/[[\]{}]/.test(text)) return { names: [text] };
  const parts: (readonly string[])[] = [];
  let rest = text;
  let count = 1;
  for (let match = PART.exec(rest); match !== null; match = PART.exec(rest)) {
    const numbers = expandPart(match[1] ?? '', match[2] ?? '');
    if (typeof numbers === 'string') return { fault: numbers };
    count *= numbers.length;
    if (count > RANGE_LIMIT) return { fault: 'too many' };
    parts.push([rest.slice(0, match.index)], numbers);
    rest = rest.slice(match.index + match[0].length);
  }
  parts.push([rest]);
  if (parts.some((part) => part.some((word) => /[[\]{}]/.test(word)))) return { fault: 'malformed' };
  return {
    names: parts.reduce<string[]>((names, part) => names.flatMap((name) => part.map((word) => name + word)), ['']),
  };
}

function expandPart(from: string, to: string): readonly string[] | RangeFault {
  const padded = (text: string): boolean => text.length > 1 && text.startsWith('0');
  if ((padded(from) || padded(to)) && from.length !== to.length) return 'padding';
  if (from.length > 15 || to.length > 15) return 'too many';
  const first = Number(from);
  const last = Number(to);
  if (last < first) return 'reversed';
  if (last - first >= RANGE_LIMIT) return 'too many';
  const width = padded(from) || padded(to) ? from.length : 0;
  return Array.from({ length: last - first + 1 }, (_, i) => String(first + i).padStart(width, '0'));
}
