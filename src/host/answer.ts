import type { Output } from '../model/host.ts';
import type { LeftReport } from '../model/report.ts';

/** One script's part of an answer. */
export type Part =
  | { readonly kind: 'output'; readonly output: Output }
  /** It was stopped before it began. */
  | { readonly kind: 'stopped' }
  /** What it printed is gone: the directory was removed, or there is no space. */
  | { readonly kind: 'lost' };

/** What a shell answered to one call. */
export interface Answer {
  readonly id: string;
  readonly parts: readonly Part[];
}

/** What a call asked for: so much may come back. */
export interface Asked {
  readonly scripts: number;
  /** Of each stream of each script. */
  readonly maxBytes: number;
}

/** The shell printed more than anybody asked for. */
export class TooMuchPrinted extends Error {
  constructor() {
    super('it printed more than was asked for');
    this.name = 'TooMuchPrinted';
  }
}

/** The line that begins an answer has a few bytes for each script. */
const MOST_HEAD_BYTES = 64 * 1024;
/** More than one stream may have is only taken of many scripts together, and not more than this. */
const MOST_TOGETHER_BYTES = 32 * 1024 * 1024;
/** The heading that `head -v` prints above each stream. */
const HEADING_BYTES = 128;

/** The line that begins an answer, and how much may follow it. */
interface Head {
  readonly id: string;
  readonly codes: readonly string[];
  readonly most: number;
  readonly maxBytes: number;
}

/** Finds answers in what a shell prints. Anything else in between is dropped. A host may print without end: that throws. */
export class AnswerReader {
  readonly #mark: string;
  readonly #nonce: string;
  readonly #bytes = new GrowingBuffer();
  #head: Head | undefined;
  #scanned = 0;

  constructor(nonce: string) {
    this.#nonce = nonce;
    this.#mark = `\n${nonce} `;
  }

  /** Takes what was printed and returns the answers that are complete now. `asked` tells what each call asked for. */
  push(chunk: Buffer, asked: (id: string) => Asked | undefined): Answer[] {
    this.#bytes.append(chunk);
    const answers: Answer[] = [];
    for (;;) {
      const answer = this.#next(asked);
      if (!answer) return answers;
      answers.push(answer);
    }
  }

  #next(asked: (id: string) => Asked | undefined): Answer | undefined {
    const head = this.#head ?? this.#readHead(asked);
    if (!head) return undefined;
    this.#head = head;
    const tail = `\n${this.#nonce} ${head.id} .\n`;
    const end = this.#bytes.indexOf(tail, this.#scanned);
    if (end < 0) {
      if (this.#bytes.length > head.most) throw new TooMuchPrinted();
      this.#scanned = Math.max(0, this.#bytes.length - tail.length);
      return undefined;
    }
    // Right after the head, the tail's own newline is the head's.
    const body = this.#bytes.slice(1, Math.max(1, end));
    const parts = readParts(body, `${this.#nonce}.${head.id}`, head.codes, head.maxBytes);
    this.#bytes.drop(end + tail.length);
    this.#head = undefined;
    this.#scanned = 0;
    return { id: head.id, parts };
  }

  /** Leaves the head's own newline as the first byte. */
  #readHead(asked: (id: string) => Asked | undefined): Head | undefined {
    const start = this.#bytes.indexOf(this.#mark, 0);
    // Nobody asked for what stands before the mark; its first bytes may be the last that are here.
    this.#bytes.drop(start < 0 ? Math.max(0, this.#bytes.length - this.#mark.length) : start);
    const line = start < 0 ? -1 : this.#bytes.indexOf('\n', this.#mark.length);
    if (line < 0) {
      if (this.#bytes.length > MOST_HEAD_BYTES) throw new TooMuchPrinted();
      return undefined;
    }
    const words = this.#bytes.slice(this.#mark.length, line).toString('latin1').split(' ');
    const [id = '', ...codes] = words;
    this.#bytes.drop(line);
    const { scripts, maxBytes } = asked(id) ?? { scripts: 0, maxBytes: 0 };
    if (codes.length > Math.max(1, scripts)) throw new TooMuchPrinted();
    const stream = maxBytes + 1 + HEADING_BYTES;
    const most = Math.max(3 * stream, Math.min(3 * stream * codes.length, MOST_TOGETHER_BYTES));
    return { id, codes, most: most + HEADING_BYTES, maxBytes };
  }
}

/** Splits the body at the headings that `head -v` printed: they contain the nonce, so nothing else looks like them. */
function readParts(body: Buffer, prefix: string, codes: readonly string[], maxBytes: number): Part[] {
  const names = codes.flatMap((code, i) =>
    [...code.matchAll(/[oer]/g)].map(([stream]) => `${prefix}.${i + 1}.${stream}`),
  );
  const found = new Map<string, Buffer>();
  let at = 0;
  names.forEach((name, i) => {
    const heading = `==> ${name} <==\n`;
    const next = names[i + 1];
    if (body.indexOf(heading, at, 'latin1') !== at) return;
    const from = at + heading.length;
    const to = next === undefined ? body.length : body.indexOf(`\n==> ${next} <==\n`, from, 'latin1');
    const end = to < 0 ? body.length : to;
    found.set(name, body.subarray(from, end));
    at = end + 1;
  });
  return codes.map((code, i) => readPart(code, `${prefix}.${i + 1}`, found, maxBytes));
}

function readPart(code: string, name: string, found: ReadonlyMap<string, Buffer>, maxBytes: number): Part {
  if (code === '-') return { kind: 'stopped' };
  const stdout = code.includes('o') ? found.get(`${name}.o`) : Buffer.alloc(0);
  const stderr = code.includes('e') ? found.get(`${name}.e`) : Buffer.alloc(0);
  const status = Number.parseInt(code, 10);
  if (!stdout || !stderr || Number.isNaN(status)) return { kind: 'lost' };
  const reports = parseReports(found.get(`${name}.r`)?.subarray(0, maxBytes).toString('utf8') ?? '');
  return { kind: 'output', output: { ...toOutput(status, stdout, stderr, maxBytes), ...reports } };
}

/** What `kx_report` has written: a type and a text a line. A line that was cut, or of a type nobody knows, is none. */
export function parseReports(text: string): Pick<Output, 'reports'> {
  const lines = text.split('\n').slice(0, -1);
  const reports = lines.flatMap((line): readonly LeftReport[] =>
    line.startsWith('left ') ? [{ type: 'left', text: line.slice('left '.length) }] : [],
  );
  return reports.length === 0 ? {} : { reports };
}

/** One byte more than was asked for is fetched: it tells that there was more. */
export function toOutput(code: number, stdout: Buffer, stderr: Buffer, maxBytes: number): Output {
  const bytes = stdout.subarray(0, maxBytes);
  return {
    code,
    bytes,
    stdout: bytes.toString('utf8'),
    stderr: stderr.subarray(0, maxBytes).toString('utf8'),
    truncated: stdout.length > maxBytes || stderr.length > maxBytes,
  };
}

/** Bytes that are appended often and searched from where the last search ended. */
class GrowingBuffer {
  #bytes = Buffer.alloc(64 * 1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(chunk: Buffer): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length) {
      const bigger = Buffer.alloc(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(bigger, 0, 0, this.#length);
      this.#bytes = bigger;
    }
    chunk.copy(this.#bytes, this.#length);
    this.#length = needed;
  }

  indexOf(text: string, from: number): number {
    return this.#bytes.subarray(0, this.#length).indexOf(text, Math.max(0, from), 'latin1');
  }

  /** A copy: the buffer itself is used again. */
  slice(from: number, to: number): Buffer {
    return Buffer.from(this.#bytes.subarray(from, to));
  }

  drop(count: number): void {
    if (count === 0) return;
    this.#bytes.copy(this.#bytes, 0, count, this.#length);
    this.#length -= count;
    if (this.#length === 0 && this.#bytes.length > 4 * 1024 * 1024) this.#bytes = Buffer.alloc(64 * 1024);
  }
}
