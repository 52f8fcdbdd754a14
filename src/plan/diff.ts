/** One difference between what is and what is wanted, for people. */
export interface Change {
  /** What differs: a path, a property, a setting. */
  readonly what: string;
  readonly from?: string;
  readonly to?: string;
  /** A unified diff, for text files. */
  readonly text?: string;
}

/** Everything a step will change, in a stable order. */
export type Diff = readonly Change[];

/** A difference's lines, without colour: `+`, `-` and `~` say what happens. */
export function diffLines(diff: Diff): readonly string[] {
  return diff.flatMap((change) => {
    if (change.text !== undefined) return [`~ ${change.what}`, ...change.text.split('\n')];
    if (change.from === undefined) return [`+ ${change.what}${change.to === undefined ? '' : `: ${change.to}`}`];
    if (change.to === undefined) return [`- ${change.what}: ${change.from}`];
    return [`~ ${change.what}: ${change.from} → ${change.to}`];
  });
}

/** A unified diff of two texts with three lines of context. */
export function textDiff(before: string, after: string): string {
  const a = before === '' ? [] : before.split('\n');
  const b = after === '' ? [] : after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const middle = editScript(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const context = 3;
  const from = Math.max(0, start - context);
  const head = a.slice(from, start).map((line) => ` ${line}`);
  const tail = a.slice(a.length - end, a.length - end + context).map((line) => ` ${line}`);
  return [`@@ line ${from + 1} @@`, ...head, ...middle, ...tail].join('\n');
}

const TOO_LONG = 2000;

/** The shortest edit of a into b by longest common subsequence; whole blocks when they are long. */
function editScript(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.length * b.length > TOO_LONG * TOO_LONG) return [...a.map((x) => `-${x}`), ...b.map((x) => `+${x}`)];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const out: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push(` ${a[i]}`);
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      out.push(`-${a[i]}`);
      i++;
    } else {
      out.push(`+${b[j]}`);
      j++;
    }
  }
  return out;
}
