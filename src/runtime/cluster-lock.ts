import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { kubexmError } from '../model/errors/index.ts';
import type { LockOwner } from '../model/host.ts';

const held = new Set<string>();

/** Held while a run works on a cluster from this machine. */
export interface ClusterLock {
  release(): void;
}

/**
 * Takes the cluster's lock on this machine. The lock is the operating system's own (through SQLite's exclusive mode), so it
 * is gone the moment its process is, however that ends; the file beside it only says who holds it.
 */
export function lockCluster(file: string, owner: LockOwner): ClusterLock {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const ownerFile = `${file}.owner`;
  const path = resolve(file);
  // The system's locks belong to the process: opening and closing the file a second time would give up the first hold.
  if (held.has(path)) throw refused(ownerFile, undefined);
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw refused(ownerFile, error);
  }
  held.add(path);
  writeFileSync(ownerFile, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  return {
    release: () => {
      held.delete(path);
      rmSync(ownerFile, { force: true });
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

/** Who holds the cluster's lock, as far as its file says. */
export function clusterLockOwner(file: string): LockOwner | undefined {
  try {
    return JSON.parse(readFileSync(`${file}.owner`, 'utf8')) as LockOwner;
  } catch {
    return undefined;
  }
}

function refused(ownerFile: string, cause: unknown): Error {
  const owner = clusterLockOwner(ownerFile.replace(/\.owner$/, ''));
  const { run = '?', pipeline = '?', user = '?', machine = '?', since = '?', pid = 0 } = owner ?? {};
  return kubexmError('KX4020', { run, pipeline, user, machine, since, pid }, { cause });
}
