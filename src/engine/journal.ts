import { closeSync, fdatasync, fdatasyncSync, openSync, readFileSync, truncateSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { kubexmError } from '../model/errors/index.ts';
import type { Json } from '../model/json.ts';
import type { CrashPoints } from './crash.ts';

/** What the journal says of a run as a whole. */
export interface RunHeader {
  readonly version: 1;
  readonly run: string;
  readonly pipeline: string;
  readonly cluster: string;
  readonly startedAt: string;
  readonly kubexm: string;
  /** Fingerprints: a run is resumed only with the same configuration and the same plan. */
  readonly configHash: string;
  readonly planHash: string;
}

/** A transition of a node. `intent` comes before anything is changed, `done` after it was checked. */
export type Phase =
  | 'satisfied'
  | 'superseded'
  | 'intent'
  | 'applied'
  | 'done'
  | 'ran'
  | 'failed'
  | 'skipped'
  | 'unknown'
  | 'reverting'
  | 'reverted'
  | 'dirty';

/** One line of the journal. */
export interface NodeRecord {
  readonly node: string;
  readonly phase: Phase;
  /** The input's fingerprint. */
  readonly input?: string;
  readonly attempt?: number;
  /** What a custom revert needs to put things back. Never a secret. */
  readonly before?: Json;
}

/** What a run as a whole went through. */
export interface RunRecord {
  readonly node: 'run';
  readonly phase: 'resumed' | 'finalizers' | 'ended';
  readonly outcome?: string;
}

type Record = NodeRecord | RunRecord;

const writeAll = promisify(write);
const syncAll = promisify(fdatasync);
const FLUSH_MS = 20;
const FLUSH_BYTES = 256 * 1024;

/** An append-only file. Many records share one write and one fsync; `durable` waits for its record's. */
export class Journal {
  private readonly fd: number;
  private readonly crash: CrashPoints;
  private buffer: string[] = [];
  private bytes = 0;
  private waiters: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  private flushing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failure: unknown;

  private constructor(fd: number, crash: CrashPoints) {
    this.fd = fd;
    this.crash = crash;
  }

  /** Starts the journal of a new run; the header is on disk when this returns. */
  static create(file: string, header: RunHeader, crash: CrashPoints): Journal {
    const fd = openSync(file, 'wx', 0o600);
    writeSync(fd, `${JSON.stringify(header)}\n`);
    fdatasyncSync(fd);
    return new Journal(fd, crash);
  }

  /** Goes on with the journal of an earlier run; a last line that was cut by a crash is removed. */
  static reopen(file: string, crash: CrashPoints): { readonly journal: Journal; readonly replay: Replay } {
    const { replay, length } = readJournal(file);
    truncateSync(file, length);
    return { journal: new Journal(openSync(file, 'a', 0o600), crash), replay };
  }

  /** Notes a transition; on disk soon. */
  append(record: Record): void {
    this.crash.before(record, () => this.flushSync());
    const line = `${JSON.stringify(record)}\n`;
    this.buffer.push(line);
    this.bytes += line.length;
    this.crash.after(record, () => this.flushSync());
    if (this.bytes > FLUSH_BYTES) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Notes a transition and waits until it is on disk. */
  async durable(record: Record): Promise<void> {
    this.append(record);
    await new Promise<void>((resolve, reject) => {
      this.waiters.push({ resolve, reject });
      void this.flush();
    });
  }

  /** Writes what is left and closes the file. */
  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.timer);
    closeSync(this.fd);
    if (this.failure !== undefined) throw this.failure;
  }

  private async flush(): Promise<void> {
    while (this.flushing) await this.flushing;
    if (this.buffer.length === 0 && this.waiters.length === 0) return;
    this.flushing = this.writeOut().finally(() => {
      this.flushing = undefined;
    });
    await this.flushing;
  }

  private async writeOut(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const waiters = this.waiters;
    this.waiters = [];
    try {
      if (this.failure !== undefined) throw this.failure;
      let data: Buffer = Buffer.from(this.take());
      while (data.length > 0) data = data.subarray((await writeAll(this.fd, data)).bytesWritten);
      if (waiters.length > 0) await syncAll(this.fd);
      for (const waiter of waiters) waiter.resolve();
    } catch (error) {
      this.failure = error;
      for (const waiter of waiters) waiter.reject(error);
    }
  }

  private flushSync(): void {
    writeSync(this.fd, this.take());
    fdatasyncSync(this.fd);
  }

  private take(): string {
    const text = this.buffer.join('');
    this.buffer = [];
    this.bytes = 0;
    return text;
  }
}

/** What an earlier process of the same run noted. */
export interface Replay {
  readonly header: RunHeader;
  /** The last record of each node, by id. */
  readonly last: ReadonlyMap<string, NodeRecord>;
  /** Nodes that changed something and were not put back, oldest first, with their intent. */
  readonly applied: ReadonlyMap<string, NodeRecord>;
  readonly ended: string | undefined;
}

/** Reads a journal. A torn last line is what a crash leaves; damage elsewhere is an error. */
export function readJournal(file: string): { readonly replay: Replay; readonly length: number } {
  const text = readFileSync(file, 'utf8');
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  const records = complete
    .split('\n')
    .slice(0, -1)
    .map((line, i) => parseLine(file, line, i));
  const [header, ...rest] = records;
  if (!header || (header as unknown as RunHeader).version !== 1) {
    throw kubexmError('KX4012', { file, detail: 'it has no header' });
  }
  const last = new Map<string, NodeRecord>();
  const applied = new Map<string, NodeRecord>();
  let ended: string | undefined;
  for (const record of rest) {
    if (record.node === 'run') {
      ended = record.phase === 'ended' ? (record as RunRecord).outcome : undefined;
      continue;
    }
    const entry = record as NodeRecord;
    last.set(entry.node, entry);
    if (entry.phase === 'intent' && !applied.has(entry.node)) applied.set(entry.node, entry);
    if (entry.phase === 'reverted') applied.delete(entry.node);
  }
  return {
    replay: { header: header as unknown as RunHeader, last, applied, ended },
    length: Buffer.byteLength(complete),
  };
}

function parseLine(file: string, line: string, index: number): Record {
  try {
    return JSON.parse(line) as Record;
  } catch (error) {
    throw kubexmError('KX4012', { file, detail: `line ${index + 1} is not JSON` }, { cause: error });
  }
}
