import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;

/** SQLite's code for a file that somebody else has locked; the higher bits only say in which way. */
const SQLITE_BUSY = 5;

/** A lock that is held until it is released, or until the process ends, however it ends. */
export interface FileLock {
  release(): void;
}

/**
 * Takes the lock of a file at once; undefined while another process, or another part of this one, holds it. The lock is the operating
 * system's own, through an open transaction of SQLite: Node has no other way to it. SQLite's exclusive mode would not do: a process that
 * tries in vain keeps a part of the lock there, and two such processes keep each other out for ever. The file stays, because removing it
 * would let two in; and nobody else may open it: closing it again would give up the lock. Throws what the system says where the file
 * cannot be used.
 */
export function tryLock(file: string): FileLock | undefined {
  return using(file, (database) => (isTaken(database) ? lockOf(database) : undefined));
}

/** Takes the lock of a file, and waits for it. */
export async function waitForLock(file: string, signal: AbortSignal): Promise<FileLock> {
  const database = opened(file);
  try {
    // Not all at the same moment: those that meet would all be refused.
    while (!isTaken(database)) await delay(POLL_MS * (0.5 + Math.random()), undefined, { signal });
    return lockOf(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Does something short while it holds the lock of a file. Throws where another process holds it for longer than `seconds`. */
export function withLock<T>(file: string, seconds: number, work: () => T): T {
  const lock = using(file, (database) => (isTaken(database, seconds) ? lockOf(database) : undefined));
  if (lock === undefined) throw new Error(`${file} is locked by another process`);
  try {
    return work();
  } finally {
    lock.release();
  }
}

/** Closes the file again unless the lock was taken. */
function using(file: string, take: (database: DatabaseSync) => FileLock | undefined): FileLock | undefined {
  const database = opened(file);
  let lock: FileLock | undefined;
  try {
    lock = take(database);
    return lock;
  } finally {
    if (lock === undefined) database.close();
  }
}

function opened(file: string): DatabaseSync {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  return new DatabaseSync(file);
}

function isTaken(database: DatabaseSync, seconds = 0): boolean {
  try {
    database.exec(`PRAGMA busy_timeout = ${seconds * 1000}; BEGIN EXCLUSIVE`);
    return true;
  } catch (error) {
    const { errcode } = error as { readonly errcode?: unknown };
    if (typeof errcode === 'number' && (errcode & 0xff) === SQLITE_BUSY) return false;
    throw error;
  }
}

function lockOf(database: DatabaseSync): FileLock {
  return { release: () => database.close() };
}
