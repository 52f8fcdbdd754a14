import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type FileLock, tryLock } from '../local/lock.ts';
import { kubexmError } from '../model/errors/index.ts';
import type { LockOwner } from '../model/host.ts';

/** Takes the cluster's lock on this machine; the file beside it says who holds it. */
export function lockCluster(file: string, owner: LockOwner): FileLock {
  const ownerFile = ownerFileOf(file);
  const path = resolve(file);
  const lock = take(path);
  try {
    writeFileSync(ownerFile, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  } catch (error) {
    lock.release();
    throw unusable(ownerFile, error);
  }
  return {
    release: () => {
      try {
        rmSync(ownerFile, { force: true });
      } finally {
        lock.release();
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

function take(path: string): FileLock {
  let lock: FileLock | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    lock = tryLock(path);
  } catch (error) {
    throw unusable(path, error);
  }
  if (lock === undefined) throw inUse(path);
  return lock;
}

function inUse(file: string): Error {
  const { run = '?', pipeline = '?', user = '?', machine = '?', since = '?', pid = 0 } = clusterLockOwner(file) ?? {};
  return kubexmError('KX4020', { run, pipeline, user, machine, since, pid });
}

function unusable(file: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return kubexmError('KX4027', { file, reason }, { cause });
}
