import type { StatementSync } from 'node:sqlite';
import { ownIdentity } from '../../local/process-identity.ts';
import { type RunEvent, withoutStacks } from '../../model/event.ts';
import { GAUGES, type Total } from '../metrics/totals.ts';
import type { Database } from './sqlite.ts';

// What a command printed is kept to this length; the log has it in full.
const TEXT_MAX = 16_384;
const PRUNE_ROWS = 2000;

/** Everything that is ever written to a store, each a transaction of its own. */
export class Inserts {
  readonly #db: Database;
  readonly #writer = JSON.stringify(ownIdentity());
  readonly #event: StatementSync;
  readonly #runStarted: StatementSync;
  readonly #runFinished: StatementSync;
  readonly #touch: StatementSync;
  readonly #addTotal: StatementSync;
  readonly #setTotal: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#event = db.prepare('INSERT INTO events (run, at, type, node, host, body) VALUES (?, ?, ?, ?, ?, ?)');
    this.#runStarted = db.prepare(`
      INSERT INTO runs (id, pipeline, cluster, hosts, nodes, plan_hash, dry_run, starts, started_at, last_at, writer)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8, ?8, ?9)
      ON CONFLICT (id) DO UPDATE SET nodes = ?5, plan_hash = ?6, starts = starts + 1, last_at = ?8, writer = ?9, finished = NULL`);
    this.#runFinished = db.prepare('UPDATE runs SET finished = ?2, last_at = ?3 WHERE id = ?1');
    this.#touch = db.prepare('UPDATE runs SET last_at = max(last_at, ?2) WHERE id = ?1');
    const upsert =
      'INSERT INTO totals (name, labels, bucket, n, sum) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET';
    this.#addTotal = db.prepare(`${upsert} n = n + ?4, sum = sum + ?5`);
    this.#setTotal = db.prepare(`${upsert} n = ?4`);
  }

  /** Writes events and what they add to the totals: all of it, or nothing. */
  write(events: readonly RunEvent[], totals: readonly Total[]): void {
    this.#transaction(() => {
      const last = new Map<string, number>();
      for (const event of events) {
        const { node = null, host = null } = event as { readonly node?: string; readonly host?: string };
        const body = JSON.stringify(shortened(event), withoutStacks);
        this.#event.run(event.run, event.at, event.type, node, host, body);
        last.set(event.run, event.at);
        if (event.type === 'run-started') this.#start(event);
        if (event.type === 'run-finished') this.#runFinished.run(event.run, body, event.at);
      }
      for (const [run, at] of last) this.#touch.run(run, at);
      for (const { name, labels, bucket, n, sum } of totals) {
        (GAUGES.has(name) ? this.#setTotal : this.#addTotal).run(name, JSON.stringify(labels), bucket, n, sum);
      }
    });
  }

  /** Says that these runs still go on. */
  touch(runs: readonly string[]): void {
    if (runs.length === 0) return;
    this.#transaction(() => {
      for (const run of runs) this.#touch.run(run, Date.now());
    });
  }

  /** Forgets a piece of the oldest run beyond the newest `keep`. True when there is none left. */
  prune(keep: number): boolean {
    const oldest = this.#db.prepare('SELECT id FROM runs ORDER BY started_at DESC LIMIT -1 OFFSET ?').get(keep)?.['id'];
    if (typeof oldest !== 'string') return true;
    this.#transaction(() => {
      const some = 'DELETE FROM events WHERE id IN (SELECT id FROM events WHERE run = ? LIMIT ?)';
      const { changes } = this.#db.prepare(some).run(oldest, PRUNE_ROWS);
      if (changes === 0) this.#db.prepare('DELETE FROM runs WHERE id = ?').run(oldest);
    });
    return false;
  }

  #start(event: Extract<RunEvent, { type: 'run-started' }>): void {
    const { run, pipeline, cluster, hosts, nodes, planHash, dryRun, at } = event;
    this.#runStarted.run(
      run,
      pipeline,
      cluster,
      JSON.stringify(hosts),
      nodes,
      planHash,
      dryRun ? 1 : 0,
      at,
      this.#writer,
    );
  }

  #transaction(work: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#db.exec('COMMIT');
    } catch (error) {
      // SQLite has rolled back by itself after some errors.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}

function shortened(event: RunEvent): RunEvent {
  if (event.type !== 'node-output') return event;
  if (event.stdout.length <= TEXT_MAX && event.stderr.length <= TEXT_MAX) return event;
  const end = (text: string) => (text.length <= TEXT_MAX ? text : `…${text.slice(-TEXT_MAX)}`);
  return { ...event, stdout: end(event.stdout), stderr: end(event.stderr) };
}
