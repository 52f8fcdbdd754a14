import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** How a program is run. */
export interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Told of every line of stderr as it comes. */
  readonly onLine?: (line: string) => void;
  readonly input?: string;
  /** After so long without a sign of life it is ended: it waits for a server that says nothing. Default: never. */
  readonly stallSeconds?: number;
}

/** How a program ended. */
export interface Ended {
  readonly code: number;
  /** Unless it could not be started, or was ended because it stood still. */
  readonly failure?: 'missing' | 'stalled';
  readonly stdout: string;
  /** The last lines of stderr. */
  readonly tail: readonly string[];
}

const MAX_OUTPUT = 64 * 1024 * 1024;
const TAIL = 60;
const MAX_LINE = 2000;
const LOOK_MS = 2000;

/** Runs a program in a process group of its own, which ends with the signal: go's compilers are its children. */
export async function run(command: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const { signal } = options;
  signal.throwIfAborted();
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const end = () => endGroup(child);
  signal.addEventListener('abort', end, { once: true });
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(options.input);
  const watch = options.stallSeconds === undefined ? undefined : new StallWatch(child, options.stallSeconds);
  try {
    const [stdout, tail, ended] = await Promise.all([
      collect(child.stdout, end),
      lastLines(child.stderr, options.onLine, watch),
      closed(child),
    ]);
    signal.throwIfAborted();
    const failure = ended.missing ? 'missing' : watch?.stalled ? 'stalled' : undefined;
    return { code: ended.code, stdout, tail, ...(failure === undefined ? {} : { failure }) };
  } finally {
    watch?.stop();
    signal.removeEventListener('abort', end);
    // A compiler that outlives go would go on writing into directories that are being removed.
    end();
  }
}

/** Notices a program that neither says nor reads nor writes anything. */
class StallWatch {
  stalled = false;
  private readonly child: ChildProcess;
  private readonly timer: NodeJS.Timeout;
  private last = '';
  private since = Date.now();

  constructor(child: ChildProcess, seconds: number) {
    this.child = child;
    this.timer = setInterval(() => this.look(seconds), Math.min(LOOK_MS, seconds * 250));
    this.timer.unref();
  }

  alive(): void {
    this.since = Date.now();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(seconds: number): void {
    const now = traffic(this.child.pid);
    if (now !== this.last) this.alive();
    this.last = now;
    if (Date.now() - this.since < seconds * 1000) return;
    this.stalled = true;
    endGroup(this.child);
  }
}

/** How much a process has read and written, network included; where the system does not tell, it counts as silent. */
function traffic(pid: number | undefined): string {
  try {
    return /rchar: \d+\nwchar: \d+/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[0] ?? '';
  } catch {
    return '';
  }
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}

function closed(child: ChildProcess): Promise<{ readonly code: number; readonly missing: boolean }> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: 127, missing: true }));
    child.once('close', (code) => resolve({ code: code ?? 137, missing: false }));
  });
}

async function collect(stream: Readable | null, tooMuch: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream ?? []) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_OUTPUT) tooMuch();
    else chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

async function lastLines(
  stream: Readable | null,
  onLine: RunOptions['onLine'],
  watch: StallWatch | undefined,
): Promise<string[]> {
  const lines: string[] = [];
  if (stream === null) return lines;
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    watch?.alive();
    onLine?.(line);
    lines.push(line.slice(0, MAX_LINE));
    if (lines.length > TAIL) lines.shift();
  }
  return lines;
}
