import { existsSync } from 'node:fs';
import { isAlive, type ProcessIdentity } from '../../local/process-identity.ts';
import { KubexmError, kubexmError } from '../../model/errors/index.ts';
import type { Outcome, RunEvent, RunOutcome } from '../../model/event.ts';
import type { Mark } from '../../model/mark.ts';
import type { Total, TotalName } from '../metrics/totals.ts';
import { reasonOf } from '../private-file.ts';
import { type Database, openDatabase, setPatience } from './sqlite.ts';

/** The status of a run. `unknown`: it has no end, and its process is gone. */
export type RunStatus = RunOutcome | 'running' | 'unknown';

/** A run as the store knows it. */
export interface RunRecord {
  readonly id: string;
  readonly pipeline: string;
  readonly cluster: string;
  readonly hosts: readonly string[];
  readonly nodes: number;
  readonly planHash: string;
  readonly dryRun: boolean;
  /** How often it was started: more than once when it was resumed. */
  readonly starts: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** When it last gave a sign of life. */
  readonly lastAt: number;
  readonly status: RunStatus;
  /** What it said at its end. */
  readonly finished: Extract<RunEvent, { type: 'run-finished' }> | undefined;
  readonly counts: Readonly<Partial<Record<Outcome, number>>>;
}

/** Which runs. */
export interface RunFilter {
  readonly cluster?: string;
  readonly pipeline?: string;
  /** The newest so many. Default 50. */
  readonly limit?: number;
}

/** Which events; what is left out matches all. */
export interface EventFilter {
  readonly run?: string;
  /** May contain `*`. */
  readonly node?: string;
  readonly host?: string;
  readonly mark?: Mark;
  readonly type?: RunEvent['type'] | readonly RunEvent['type'][];
  /** Milliseconds since the epoch. */
  readonly since?: number;
  /** Only those after this id: for following along. Then the oldest so many are returned, else the newest. */
  readonly after?: number;
  /** Default 1000. */
  readonly limit?: number;
}

/** An event and its place in the store. */
export interface StoredEvent {
  readonly id: number;
  readonly event: RunEvent;
}

/** Questions that a store answers. */
export interface EventReader {
  /** Newest first. */
  listRuns(filter?: RunFilter): readonly RunRecord[];
  getRun(id: string): RunRecord | undefined;
  /** In the order in which they happened. */
  events(filter?: EventFilter): readonly StoredEvent[];
  /** All that was ever counted. */
  totals(): readonly Total[];
  close(): void;
}

// The writer gives a sign of life every 30 seconds; of a process on another machine nothing else is known.
const SILENT_MS = 100_000;

/** Opens a store for reading while others may write. A store that does not exist yet is empty. Throws KX8003 or KX8004. */
export function openEventReader(path: string): EventReader {
  if (!existsSync(path))
    return { listRuns: () => [], getRun: () => undefined, events: () => [], totals: () => [], close() {} };
  const db = guarded(path, () => openDatabase(path, { attempts: 10, ms: 100 }));
  setPatience(db, 2000);
  const ask = <T>(work: () => T) => guarded(path, work);
  return {
    listRuns: (filter = {}) => ask(() => listRuns(db, filter)),
    getRun: (id) => ask(() => rows(db, 'SELECT * FROM runs WHERE id = ?', [id]).map(runOf)[0]),
    events: (filter = {}) => ask(() => listEvents(db, filter)),
    totals: () => ask(() => rows(db, 'SELECT * FROM totals ORDER BY name, labels, bucket', []).map(totalOf)),
    close: () => db.close(),
  };
}

type Value = string | number;
type Row = Readonly<Record<string, unknown>>;

function rows(db: Database, sql: string, values: readonly Value[]): readonly Row[] {
  return db.prepare(sql).all(...values);
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof KubexmError) throw error;
    throw kubexmError('KX8004', { file: path, reason: reasonOf(error) }, { cause: error });
  }
}

function listRuns(db: Database, { cluster, pipeline, limit = 50 }: RunFilter): readonly RunRecord[] {
  const where = new Where().is('cluster', cluster).is('pipeline', pipeline);
  return rows(db, `SELECT * FROM runs ${where.sql} ORDER BY started_at DESC, id DESC LIMIT ?`, [
    ...where.values,
    limit,
  ]).map(runOf);
}

function listEvents(db: Database, filter: EventFilter): readonly StoredEvent[] {
  const { run, node, host, mark, type, since, after, limit = 1000 } = filter;
  const where = new Where().is('run', run).is('host', host).least('at', since).above('id', after);
  if (node?.includes('*')) where.add('node GLOB ?', node.replace(/[[?]/g, '[$&]'));
  else where.is('node', node);
  if (mark !== undefined) where.add("json_extract(body, '$.mark') = ?", mark);
  const types = typeof type === 'string' ? [type] : type;
  if (types !== undefined) where.add(`type IN (${types.map(() => '?').join(', ')})`, ...types);
  const newest = after === undefined;
  const sql = `SELECT id, body FROM events ${where.sql} ORDER BY id ${newest ? 'DESC' : 'ASC'} LIMIT ?`;
  const found = rows(db, sql, [...where.values, limit]).map((row) => ({
    id: Number(row['id']),
    event: JSON.parse(String(row['body'])) as RunEvent,
  }));
  return newest ? found.reverse() : found;
}

/** Conditions and their values, side by side. */
class Where {
  readonly #conditions: string[] = [];
  readonly values: Value[] = [];

  get sql(): string {
    return this.#conditions.length === 0 ? '' : `WHERE ${this.#conditions.join(' AND ')}`;
  }
  add(condition: string, ...values: readonly Value[]): this {
    this.#conditions.push(condition);
    this.values.push(...values);
    return this;
  }
  is(column: string, value: Value | undefined): this {
    return value === undefined ? this : this.add(`${column} = ?`, value);
  }
  least(column: string, value: number | undefined): this {
    return value === undefined ? this : this.add(`${column} >= ?`, value);
  }
  above(column: string, value: number | undefined): this {
    return value === undefined ? this : this.add(`${column} > ?`, value);
  }
}

function runOf(row: Row): RunRecord {
  const end = row['finished'];
  const finished = typeof end === 'string' ? (JSON.parse(end) as RunRecord['finished']) : undefined;
  const lastAt = Number(row['last_at']);
  return {
    id: String(row['id']),
    pipeline: String(row['pipeline']),
    cluster: String(row['cluster']),
    hosts: JSON.parse(String(row['hosts'])) as string[],
    nodes: Number(row['nodes']),
    planHash: String(row['plan_hash']),
    dryRun: row['dry_run'] === 1,
    starts: Number(row['starts']),
    startedAt: Number(row['started_at']),
    lastAt,
    status: finished?.outcome ?? openStatus(JSON.parse(String(row['writer'])) as ProcessIdentity, lastAt),
    finished,
    counts: finished?.counts ?? {},
  };
}

function openStatus(writer: ProcessIdentity, lastAt: number): RunStatus {
  return (isAlive(writer) ?? Date.now() - lastAt < SILENT_MS) ? 'running' : 'unknown';
}

function totalOf(row: Row): Total {
  return {
    name: String(row['name']) as TotalName,
    labels: JSON.parse(String(row['labels'])) as string[],
    bucket: Number(row['bucket']),
    n: Number(row['n']),
    sum: Number(row['sum']),
  };
}
