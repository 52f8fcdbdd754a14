import { KubexmError } from '../../model/errors/index.ts';
import type { EventError, RunEvent } from '../../model/event.ts';
import { Tally } from '../metrics/totals.ts';
import { reasonOf } from '../private-file.ts';
import type { Sink } from '../sink.ts';
import { Inserts } from './inserts.ts';
import {
  type Database,
  fileIdentity,
  moveAside,
  openDatabase,
  type Patience,
  setPatience,
  troubleOf,
} from './sqlite.ts';

/** How the store is written. */
export interface EventStoreOptions {
  /** Older runs are forgotten; their share of the totals stays. Default 500. */
  readonly keepRuns?: number;
  /** Events that may wait for a locked file before some are dropped. Default 100,000. */
  readonly maxWaiting?: number;
}

const SOON_MS = 100;
const BUSY_MS = 250;
const BROKEN_MS = 5000;
const BEAT_MS = 30_000;
// Rows in one transaction: some milliseconds, so that the engine hardly notices.
const BATCH = 500;
// Another process's batch is over by then; for longer the engine would have to wait.
const PATIENCE_MS = 20;
const LAST_PATIENCE_MS = 3000;
// Before the run begins there is a little more time.
const OPENING: Patience = { attempts: 10, ms: 100 };

type StartEvent = Extract<RunEvent, { type: 'run-started' }>;

/**
 * The event store as a sink. Never throws and never waits: events are written a little later, in batches, and wait longer when
 * another process holds the file. A damaged file is moved aside and a new one begun.
 */
export function openEventStore(path: string, options: EventStoreOptions = {}): Sink & { close(): Promise<void> } {
  const store = new Writer(path, options);
  return {
    name: 'event store',
    connect: (report) => store.connect(report),
    write: (event) => store.write(event),
    close: async () => store.close(),
  };
}

class Writer {
  readonly #path: string;
  readonly #keepRuns: number;
  readonly #maxWaiting: number;
  readonly #tally = new Tally();
  /** Runs without an end so far: their beginning is needed again when a damaged file is replaced. */
  readonly #open = new Map<string, StartEvent>();
  #db: Database | undefined;
  #inserts: Inserts | undefined;
  #identity: string | undefined;
  #queue: RunEvent[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #beat: NodeJS.Timeout;
  #pruned = false;
  #closed = false;
  #troubles: EventError[] = [];
  #reported = new Set<string>();
  #report: ((error: EventError) => void) | undefined;

  constructor(path: string, options: EventStoreOptions) {
    this.#path = path;
    this.#keepRuns = options.keepRuns ?? 500;
    this.#maxWaiting = options.maxWaiting ?? 100_000;
    this.#attempt(() => this.#database(OPENING));
    this.#beat = setInterval(() => this.#attempt(() => this.#inserts?.touch([...this.#open.keys()])), BEAT_MS).unref();
  }

  connect(report: (error: EventError) => void): void {
    this.#report = report;
    for (const trouble of this.#troubles.splice(0)) report(trouble);
  }

  write(event: RunEvent): void {
    // Progress is only for live views: its last state is also in the final event.
    if (this.#closed || event.type === 'node-progress' || event.type === 'build-progress') return;
    if (event.type === 'run-started') this.#open.set(event.run, event);
    if (this.#queue.length >= this.#maxWaiting) {
      this.#dropped++;
      return;
    }
    this.#queue.push(event);
    this.#schedule(event.type === 'run-started' || event.type === 'run-finished' ? 0 : SOON_MS);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#beat);
    const db = this.#db;
    if (db !== undefined) this.#attempt(() => setPatience(db, LAST_PATIENCE_MS));
    while (this.#queue.length > 0 && this.#writeBatch() === 'written');
    const missing = this.#dropped + this.#queue.length;
    if (missing > 0) this.#tell({ code: 'KX8005', params: { count: missing, file: this.#path } });
    this.#attempt(() => this.#db?.close());
  }

  #schedule(delay: number): void {
    const due = performance.now() + delay;
    if (this.#closed || due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#due = Number.POSITIVE_INFINITY;
      this.#turn();
    }, delay).unref();
  }

  #turn(): void {
    const result = this.#queue.length > 0 ? this.#writeBatch() : 'written';
    if (result === 'busy') this.#schedule(BUSY_MS);
    else if (result === 'broken') this.#schedule(BROKEN_MS);
    else if (this.#queue.length > 0) this.#schedule(0);
    else if (!this.#pruned) this.#attempt(() => this.#prune());
  }

  #prune(): void {
    this.#pruned = this.#inserts?.prune(this.#keepRuns) ?? true;
    if (!this.#pruned) this.#schedule(SOON_MS);
  }

  #writeBatch(): 'written' | 'busy' | 'broken' {
    const batch = this.#queue.slice(0, BATCH);
    for (let attempt = 1; ; attempt++) {
      try {
        this.#database().write(batch, this.#tally.count(batch));
        this.#queue.splice(0, batch.length);
        for (const event of batch) if (event.type === 'run-finished') this.#open.delete(event.run);
        return 'written';
      } catch (error) {
        const trouble = troubleOf(error);
        if (trouble === 'busy') return 'busy';
        if (trouble === 'corrupt' && attempt === 1 && this.#replace(batch)) continue;
        this.#complain(error);
        return 'broken';
      }
    }
  }

  #database(patience: Patience = { attempts: 1, ms: PATIENCE_MS }): Inserts {
    if (this.#inserts !== undefined) return this.#inserts;
    try {
      this.#db = openDatabase(this.#path, patience);
    } catch (error) {
      if (troubleOf(error) !== 'corrupt') throw error;
      this.#moveAside(fileIdentity(this.#path));
      this.#db = openDatabase(this.#path, patience);
    }
    this.#identity = fileIdentity(this.#path);
    setPatience(this.#db, PATIENCE_MS);
    this.#inserts = new Inserts(this.#db);
    return this.#inserts;
  }

  /** Begins a new file in place of a damaged one, with the beginnings of the runs that go on. */
  #replace(batch: readonly RunEvent[]): boolean {
    const db = this.#db;
    this.#db = undefined;
    this.#inserts = undefined;
    try {
      db?.close();
      this.#moveAside(this.#identity);
      const starts = [...this.#open.values()].filter((event) => !batch.includes(event));
      if (starts.length > 0) this.#database().write(starts, this.#tally.count(starts));
      return true;
    } catch (error) {
      this.#complain(error);
      return false;
    }
  }

  #moveAside(identity: string | undefined): void {
    const kept = moveAside(this.#path, identity);
    if (kept !== undefined) this.#tell({ code: 'KX8002', params: { file: this.#path, kept } });
  }

  #attempt(work: () => unknown): void {
    try {
      work();
    } catch (error) {
      if (troubleOf(error) !== 'busy') this.#complain(error);
    }
  }

  #complain(error: unknown): void {
    if (error instanceof KubexmError) this.#tell({ code: error.code, params: error.params });
    else this.#tell({ code: 'KX8004', params: { file: this.#path, reason: reasonOf(error) } });
  }

  /** Each kind of trouble once. */
  #tell(trouble: EventError): void {
    if (this.#reported.has(trouble.code)) return;
    this.#reported.add(trouble.code);
    if (this.#report === undefined) this.#troubles.push(trouble);
    else this.#report(trouble);
  }
}
