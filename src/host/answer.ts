import type { Output } from '../model/host.ts';

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

/** Finds answers in what a shell prints. Anything else in between is passed over. */
export class AnswerReader {
  readonly #nonce: string;
  readonly #bytes = new GrowingBuffer();
  #head: { id: string; codes: readonly string[]; from: number } | undefined;
  #scanned = 0;

  constructor(nonce: string) {
    this.#nonce = nonce;
  }

  /** Takes what was printed and returns the answers that are complete now. `maxBytes` is what each call asked for. */
  push(chunk: Buffer, maxBytes: (id: string) => number): Answer[] {
    this.#bytes.append(chunk);
    const answers: Answer[] = [];
    for (;;) {
      const answer = this.#next(maxBytes);
      if (!answer) return answers;
      answers.push(answer);
    }
  }

  #next(maxBytes: (id: string) => number): Answer | undefined {
    if (!this.#head && !this.#readHead()) return undefined;
    const head = this.#head;
    if (!head) return undefined;
    const tail = `\n${this.#nonce} ${head.id} .\n`;
    const end = this.#bytes.indexOf(tail, Math.max(head.from - 1, this.#scanned));
    if (end < 0) {
      this.#scanned = this.#bytes.length - tail.length;
      return undefined;
    }
    // Right after the head, the tail's own newline is the head's.
    const body = this.#bytes.slice(head.from, Math.max(head.from, end));
    const parts = readParts(body, `${this.#nonce}.${head.id}`, head.codes, maxBytes(head.id));
    this.#bytes.drop(end + tail.length);
    this.#head = undefined;
    this.#scanned = 0;
    return { id: head.id, parts };
  }

  #readHead(): boolean {
    const mark = `\n${this.#nonce} `;
    const start = this.#bytes.indexOf(mark, this.#scanned);
    const line = start < 0 ? -1 : this.#bytes.indexOf('\n', start + mark.length);
    if (line < 0) {
      this.#scanned = start < 0 ? Math.max(0, this.#bytes.length - mark.length) : start;
      return false;
    }
    const [id, ...codes] = this.#bytes
      .slice(start + mark.length, line)
      .toString('latin1')
      .split(' ');
    this.#head = { id: id ?? '', codes, from: line + 1 };
    this.#scanned = line;
    return true;
  }
}

/** Splits the body at the headings that `head -v` printed: they contain the nonce, so nothing else looks like them. */
function readParts(body: Buffer, prefix: string, codes: readonly string[], maxBytes: number): Part[] {
  const names = codes.flatMap((code, i) =>
    [...code.matchAll(/[oe]/g)].map(([stream]) => `${prefix}.${i + 1}.${stream}`),
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
  return { kind: 'output', output: toOutput(status, stdout, stderr, maxBytes) };
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
    this.#bytes.copy(this.#bytes, 0, count, this.#length);
    this.#length -= count;
    if (this.#length === 0 && this.#bytes.length > 4 * 1024 * 1024) this.#bytes = Buffer.alloc(64 * 1024);
  }
}
