import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { kubexmError } from '../../../model/errors/index.ts';

const POLL_MS = 50;

/**
 * Runs the work while no other process and nobody else in this one holds the file's lock. The lock is the operating system's
 * own (an open transaction of SQLite): it is gone the moment its process is. SQLite's exclusive mode would not do: who tries in
 * vain keeps a part of the lock there, and two such keep each other out for ever. The file stays, since removing it would let two
 * in, and nobody else may open it: closing it again would give up the lock.
 */
export async function locked<T>(file: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const database = opened(file);
  try {
    // Not all at the same moment: those who meet all go away empty-handed.
    while (!taken(database, file)) await delay(POLL_MS * (0.5 + Math.random()), undefined, { signal });
    return await work();
  } finally {
    database.close();
  }
}

function opened(file: string): DatabaseSync {
  try {
    const database = new DatabaseSync(file);
    database.exec('PRAGMA busy_timeout = 0');
    return database;
  } catch (error) {
    throw refused(file, error);
  }
}

function taken(database: DatabaseSync, file: string): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    const { errcode } = error as { readonly errcode?: number };
    // SQLITE_BUSY, whatever its extended kind.
    if (errcode !== undefined && (errcode & 0xff) === 5) return false;
    throw refused(file, error);
  }
}

function refused(file: string, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return kubexmError('KX7122', { path: file, reason }, { cause: error });
}
