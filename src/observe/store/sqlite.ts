import { existsSync, renameSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { makePrivate } from '../private-file.ts';
import { migrate } from './schema.ts';

/** A database connection. */
export type Database = DatabaseSync;

/** What went wrong in SQLite, as far as it matters here. */
export type Trouble = 'busy' | 'corrupt' | 'other';

const BUSY = [5, 6];
const CORRUPT = [11, 26];

/** Tells a locked file from a damaged one. */
export function troubleOf(error: unknown): Trouble {
  const code = (error as { readonly errcode?: unknown } | null)?.errcode;
  if (typeof code !== 'number') return 'other';
  if (BUSY.includes(code & 0xff)) return 'busy';
  return CORRUPT.includes(code & 0xff) ? 'corrupt' : 'other';
}

/** How often opening is tried again while another process holds the file, and how long each time. */
export interface Patience {
  readonly attempts: number;
  readonly ms: number;
}

/** Opens a store, makes it when it is not there, and brings it to the present schema. */
export function openDatabase(path: string, patience: Patience): Database {
  // SQLite gives the file's own mode to the files it puts beside it.
  makePrivate(path);
  for (let attempt = 1; ; attempt++) {
    const db = new (sqlite().DatabaseSync)(path);
    try {
      // Switching to WAL does not heed the busy timeout: two that begin at once meet here.
      db.exec(`PRAGMA busy_timeout = ${patience.ms}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`);
      migrate(db, path);
      return db;
    } catch (error) {
      db.close();
      if (troubleOf(error) !== 'busy' || attempt >= patience.attempts) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, patience.ms / 4);
    }
  }
}

/** How long a statement waits for another process. */
export function setPatience(db: Database, ms: number): void {
  db.exec(`PRAGMA busy_timeout = ${ms}`);
}

/** Identifies a file apart from its name. */
export function fileIdentity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
}

/** Moves a damaged store out of the way, unless another process did so already. Returns its new name. */
export function moveAside(path: string, identity: string | undefined): string | undefined {
  if (identity === undefined || fileIdentity(path) !== identity) return undefined;
  const kept = `${path}.damaged-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  renameSync(path, kept);
  for (const suffix of ['-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix);
  return kept;
}

/** `node:sqlite`, loaded when first needed and without its warning about being experimental; other warnings stay. */
function sqlite(): typeof import('node:sqlite') {
  const emit: unknown = Reflect.get(process, 'emitWarning');
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    const text = typeof warning === 'string' ? warning : warning.message;
    if (text.startsWith('SQLite is an experimental feature')) return;
    Reflect.apply(emit as (...args: unknown[]) => void, process, [warning, ...rest]);
  }) as typeof process.emitWarning;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emit as typeof process.emitWarning;
  }
}
