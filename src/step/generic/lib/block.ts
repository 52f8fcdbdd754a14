/** A part of a text file that kubexm owns, between two marker lines. */
export interface Block {
  /** Tells several blocks of one file apart. */
  readonly id: string | undefined;
  /** What starts a comment in this file. */
  readonly comment: string;
  readonly lines: readonly string[];
  readonly at: 'start' | 'end';
}

/** A marker is there without its counterpart: nobody can say what is ours. */
export class BrokenBlock extends Error {
  constructor(marker: string) {
    super(`the line ${JSON.stringify(marker)} has no counterpart`);
    this.name = 'BrokenBlock';
  }
}

/** The text with the block put in, replaced, or taken out when it has no lines. Every other byte stays. Throws BrokenBlock. */
export function withBlock(text: string, block: Block): string {
  const parts = text.split('\n');
  const spans = findSpans(parts, block);
  const [first] = spans;
  // A block that is there tells by its own first line how lines end.
  const windows = first === undefined ? text.includes('\r\n') : parts[first.from]?.endsWith('\r') === true;
  const eol = windows ? '\r\n' : '\n';
  const ours =
    block.lines.length === 0 ? '' : [begin(block), ...block.lines, end(block)].map((line) => line + eol).join('');
  if (first === undefined) return ours === '' ? text : inserted(text, ours, block.at, eol);
  let result = '';
  let at = 0;
  for (const span of spans) {
    result += joined(parts, at, span.from);
    if (span === first) result += ours;
    at = span.to;
  }
  const rest = joined(parts, at, parts.length);
  return ours !== '' && rest === '' && !text.endsWith('\n') ? (result + rest).slice(0, -eol.length) : result + rest;
}

/** What a text had of a block: its lines, and how many lines were above it. A type, so that it is Json too. */
export type Found = {
  readonly lines: readonly string[];
  readonly above: number;
};

/** The block as it is in a text; undefined when it is not there. Throws BrokenBlock. */
export function blockIn(text: string, block: Block): Found | undefined {
  const parts = text.split('\n');
  const [first] = findSpans(parts, block);
  if (!first) return undefined;
  const lines = parts.slice(first.from + 1, first.to - 1).map((line) => line.replace(/\r$/, ''));
  return { lines, above: first.from };
}

/** The text as it was before the block came, changed or went. `open`: the text's last line had no end. Throws BrokenBlock. */
export function withoutBlock(text: string, block: Block, was: Found | undefined, open: boolean): string {
  if (was && blockIn(text, block) === undefined) {
    const parts = text.split('\n');
    const above = joined(parts, 0, Math.min(was.above, parts.length - 1));
    return above + withBlock(text.slice(above.length), { ...block, lines: was.lines, at: 'start' });
  }
  const back = withBlock(text, { ...block, lines: was?.lines ?? [] });
  const last = text.replace(/\r?\n$/, '').endsWith(end(block));
  return was === undefined && open && last ? back.replace(/\r?\n$/, '') : back;
}

/** Lines from..to with their ends; the last part of a text has none. */
function joined(parts: readonly string[], from: number, to: number): string {
  return parts
    .slice(from, to)
    .map((line, i) => (from + i === parts.length - 1 ? line : `${line}\n`))
    .join('');
}

function inserted(text: string, ours: string, at: 'start' | 'end', eol: string): string {
  if (at === 'start') return ours + text;
  return text === '' || text.endsWith('\n') ? text + ours : text + eol + ours;
}

function findSpans(parts: readonly string[], block: Block): readonly { readonly from: number; readonly to: number }[] {
  const spans: { from: number; to: number }[] = [];
  let open: number | undefined;
  parts.forEach((part, i) => {
    const line = part.endsWith('\r') ? part.slice(0, -1) : part;
    if (line === begin(block)) {
      if (open !== undefined) throw new BrokenBlock(line);
      open = i;
    } else if (line === end(block)) {
      if (open === undefined) throw new BrokenBlock(line);
      spans.push({ from: open, to: i + 1 });
      open = undefined;
    }
  });
  if (open !== undefined) throw new BrokenBlock(begin(block));
  return spans;
}

function begin(block: Block): string {
  return marker('BEGIN', block);
}

function end(block: Block): string {
  return marker('END', block);
}

function marker(word: string, block: Block): string {
  return `${block.comment} ${word} KubeXM Managed Block${block.id === undefined ? '' : ` ${block.id}`}`;
}
