import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { kubexmError } from '../model/errors/index.ts';
import type { LockOwner } from '../model/host.ts';

const held = new Set<string>();

/** SQLite's code for a file that somebody else has locked; the higher bits only say in which way. */
const SQLITE_BUSY = 5;

/** Held while a run works on a cluster from this machine. */
export interface ClusterLock {
  release(): void;
}

/**
 * Takes the cluster's lock on this machine. The lock is the operating system's own (through SQLite's exclusive mode), so it
 * is gone the moment its process is, however that ends; the file beside it only says who holds it.
 */
export function lockCluster(file: string, owner: LockOwner): ClusterLock {
  const ownerFile = ownerFileOf(file);
  const path = resolve(file);
  // The system's locks belong to the process: opening and closing the file a second time would give up the first hold.
  if (held.has(path)) throw inUse(file, undefined);
  const database = open(path);
  try {
    writeFileSync(ownerFile, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  } catch (error) {
    database.close();
    throw unusable(ownerFile, error);
  }
  held.add(path);
  return {
    release: () => {
      held.delete(path);
      try {
        rmSync(ownerFile, { force: true });
      } finally {
        database.close();
      }
    },
  };
}

/** Who holds the cluster's lock, as far as its file says. */
export function clusterLockOwner(file: string): LockOwner | undefined {
  try {
    return JSON.parse(readFileSync(ownerFileOf(file), 'utf8')) as LockOwner;
  } catch {
    return undefined;
  }
}

function ownerFileOf(file: string): string {
  return `${file}.owner`;
}

/** Closing it gives the lock up. */
function open(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    database = new DatabaseSync(path);
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    throw isBusy(error) ? inUse(path, error) : unusable(path, error);
  }
}

function isBusy(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === SQLITE_BUSY;
}

function inUse(file: string, cause: unknown): Error {
  const { run = '?', pipeline = '?', user = '?', machine = '?', since = '?', pid = 0 } = clusterLockOwner(file) ?? {};
  return kubexmError('KX4020', { run, pipeline, user, machine, since, pid }, { cause });
}

function unusable(file: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return kubexmError('KX4027', { file, reason }, { cause });
}
