import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  linkSync,
  openSync,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { syncDirectorySync } from '../local/files.ts';
import { type KubexmError, kubexmError } from '../model/errors/index.ts';
import type { CrashPoints } from './crash.ts';
import type { JournalRecord, RunHeader } from './record.ts';
import { type Replay, readJournal } from './replay.ts';

export type { JournalRecord, NodeRecord, Phase, RunHeader, RunRecord } from './record.ts';
export { type Replay, readJournal } from './replay.ts';

const sync = promisify(fdatasync);
const FLUSH_MS = 20;
const FLUSH_BYTES = 256 * 1024;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * An append-only file. Many records share one write and one fsync; `durable` waits for its record's. A write that fails is
 * final: nothing is written behind it, and every `durable` from then on fails with KX4015.
 */
export class Journal {
  private readonly file: string;
  private readonly fd: number;
  private readonly crash: CrashPoints;
  private buffer: string[] = [];
  private bytes = 0;
  private waiters: Waiter[] = [];
  private flushing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failure: KubexmError | undefined;

  private constructor(file: string, fd: number, crash: CrashPoints) {
    this.file = file;
    this.fd = fd;
    this.crash = crash;
  }

  /** Starts the journal of a new run; the header is on disk when this returns. */
  static create(file: string, header: RunHeader, crash: CrashPoints): Journal {
    try {
      // Under another name until its header is on disk: a journal without one would say nothing and stand in the way.
      const draft = `${file}.${process.pid}.new`;
      const fd = openSync(draft, 'ax', 0o600);
      writeSync(fd, `${JSON.stringify(header)}\n`);
      fdatasyncSync(fd);
      linkSync(draft, file);
      unlinkSync(draft);
      syncDirectorySync(dirname(file));
      return new Journal(file, fd, crash);
    } catch (error) {
      throw cannotWrite(file, error);
    }
  }

  /** Goes on with the journal of an earlier process; a last line that was cut by a crash is removed. */
  static reopen(file: string, crash: CrashPoints): { readonly journal: Journal; readonly replay: Replay } {
    const { replay, length } = readJournal(file);
    try {
      const fd = openSync(file, constants.O_WRONLY | constants.O_APPEND);
      ftruncateSync(fd, length);
      fdatasyncSync(fd);
      return { journal: new Journal(file, fd, crash), replay };
    } catch (error) {
      throw cannotWrite(file, error);
    }
  }

  /** Notes a transition; on disk soon. */
  append(record: JournalRecord): void {
    this.crash.before(record, () => this.flushSync());
    const line = `${JSON.stringify(record)}\n`;
    this.buffer.push(line);
    this.bytes += line.length;
    this.crash.after(record, () => this.flushSync());
    if (this.bytes > FLUSH_BYTES) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Notes a transition and waits until it, and everything before it, is on disk. */
  async durable(record: JournalRecord): Promise<void> {
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

  /** One writer at a time; callers that arrive meanwhile are served by its next round. Never rejects. */
  private flush(): Promise<void> {
    this.flushing ??= this.writeRounds();
    return this.flushing;
  }

  private async writeRounds(): Promise<void> {
    // A turn of the event loop lets everybody who is about to write join the first round.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.buffer.length > 0 || this.waiters.length > 0) await this.writeRound();
    // Synchronous with the last check: a later caller must start a new flush.
    this.flushing = undefined;
  }

  private async writeRound(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const waiters = this.waiters.splice(0);
    let data: Buffer = Buffer.from(this.take());
    try {
      if (this.failure !== undefined) throw this.failure;
      while (data.length > 0) data = data.subarray(await writeSome(this.fd, data));
      if (waiters.length > 0) await sync(this.fd);
      for (const waiter of waiters) waiter.resolve();
    } catch (error) {
      this.failure ??= cannotWrite(this.file, error);
      for (const waiter of waiters) waiter.reject(this.failure);
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

function writeSome(fd: number, data: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, data, (error, written) => {
      if (error) reject(error);
      else if (written === 0) reject(new Error('nothing could be written'));
      else resolve(written);
    });
  });
}

function cannotWrite(file: string, error: unknown): KubexmError {
  const reason = error instanceof Error ? error.message : String(error);
  return kubexmError('KX4015', { file, reason }, { cause: error });
}
