import type { SupplyIo } from '../../cache/types.ts';

/** What a line that go prints means. */
export type GoLine =
  | { readonly kind: 'downloading'; readonly module: string; readonly version: string }
  | { readonly kind: 'package'; readonly name: string }
  | { readonly kind: 'other'; readonly text: string };

/** Reads a line of `go list` or `go build -v`. */
export function parseGoLine(line: string): GoLine {
  const [, module, version] = /^go: downloading (\S+) (\S+)$/.exec(line) ?? [];
  if (module !== undefined && version !== undefined) return { kind: 'downloading', module, version };
  // Comments, errors and positions in files have spaces or colons; names of packages have neither.
  if (/^[\w.~-]+(?:\/[\w.~+-]+)*$/.test(line)) return { kind: 'package', name: line };
  return { kind: 'other', text: line };
}

const BEAT_MS = 8000;

/** Tells how far a build is: at every line at most every half second, and by a beat where go is silent. */
export class Progress {
  private readonly io: SupplyIo;
  private readonly timer: NodeJS.Timeout;
  private phase = '';
  private since = Date.now();
  private told = 0;
  private done = 0;
  private total: number | undefined;
  private readonly seen = new Set<string>();

  constructor(io: SupplyIo) {
    this.io = io;
    this.timer = setInterval(() => this.beat(), BEAT_MS);
    this.timer.unref();
  }

  /** Something else begins. */
  enter(phase: string, total?: number): void {
    this.phase = phase;
    this.since = Date.now();
    this.total = total;
    this.done = 0;
    this.seen.clear();
    this.io.say(phase);
    this.tell();
  }

  /** A line that go printed in this phase. */
  line(text: string): void {
    const line = parseGoLine(text);
    if (line.kind === 'other') return;
    const name = line.kind === 'package' ? line.name : line.module;
    if (this.seen.has(name)) return;
    this.seen.add(name);
    this.done += 1;
    if (Date.now() - this.told >= 500) this.tell();
  }

  /** The phase came to its end. */
  finish(): void {
    if (this.total !== undefined) this.done = this.total;
    this.tell();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private beat(): void {
    this.tell();
    const seconds = Math.round((Date.now() - this.since) / 1000);
    this.io.say(`${this.phase} (${seconds} s)`);
  }

  private tell(): void {
    this.told = Date.now();
    // Packages that go compiles twice, with and without a profile, are counted once; never more than all.
    if (this.total !== undefined) this.done = Math.min(this.done, this.total);
    this.io.progress(this.done, this.total);
  }
}
