import { kubexmError } from '../../model/errors/index.ts';
import type { Database } from './sqlite.ts';

// Each entry takes the store one version further. Never change one that was released: add another.
const migrations: readonly string[] = [
  `
  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    pipeline TEXT NOT NULL,
    cluster TEXT NOT NULL,
    hosts TEXT NOT NULL,
    nodes INTEGER NOT NULL,
    plan_hash TEXT NOT NULL,
    dry_run INTEGER NOT NULL,
    starts INTEGER NOT NULL,
    started_at REAL NOT NULL,
    last_at REAL NOT NULL,
    writer TEXT NOT NULL,
    -- The event run-finished; null while the run goes on, and for ever when its writer was killed.
    finished TEXT
  ) STRICT;
  CREATE INDEX runs_started ON runs (started_at);
  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT NOT NULL,
    at REAL NOT NULL,
    type TEXT NOT NULL,
    node TEXT,
    host TEXT,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_run ON events (run);
  CREATE TABLE totals (
    name TEXT NOT NULL,
    labels TEXT NOT NULL,
    bucket INTEGER NOT NULL,
    n REAL NOT NULL,
    sum REAL NOT NULL,
    PRIMARY KEY (name, labels, bucket)
  ) STRICT, WITHOUT ROWID;
  `,
];

/** The schema this program knows. */
const SCHEMA_VERSION = migrations.length;

/** Brings a store to the present schema. Throws KX8003 for one from the future. */
export function migrate(db: Database, path: string): void {
  if (checked(db, path) === SCHEMA_VERSION) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have done it while this one waited.
    const version = checked(db, path);
    for (const sql of migrations.slice(version)) db.exec(sql);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

function checked(db: Database, path: string): number {
  const found = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  if (found > SCHEMA_VERSION) throw kubexmError('KX8003', { file: path, found, known: SCHEMA_VERSION });
  return found;
}
