import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../local/files.ts';
import { type ArtifactLock, type LockEntry, VOUCHERS } from '../../model/artifact-lock.ts';
import { kubexmError } from '../../model/errors/index.ts';
import { guarded } from './guard.ts';

/** Where a cluster's lock is. */
export function lockFileOf(workDir: string): string {
  return join(workDir, 'artifacts.lock');
}

/** Reads the lock of a cluster; empty where there is none yet. */
export function readLock(workDir: string): ArtifactLock {
  const file = lockFileOf(workDir);
  try {
    return parseLock(readFileSync(file, 'utf8'), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** The entries of a lock's text. */
export function parseLock(text: string, file: string): ArtifactLock {
  try {
    const { version, items } = JSON.parse(text) as { version?: unknown; items?: Record<string, LockEntry> };
    if (version !== 1 || items === undefined) throw new Error('it is of another version of kubexm');
    const wrong = Object.entries(items).find(([, entry]) => !isEntry(entry));
    if (wrong) throw new Error(`the entry ${wrong[0]} is not valid`);
    return items;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw kubexmError('KX7019', { file, reason }, { cause: error });
  }
}

/** The text of a lock: sorted, so that a comparison shows what changed. */
function lockText(items: ArtifactLock): string {
  const sorted = Object.fromEntries(Object.entries(items).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ version: 1, items: sorted }, null, 2)}\n`;
}

/** Adds to a lock. The caller holds the guard of the cluster's artifacts. */
export async function addToLock(workDir: string, more: ArtifactLock): Promise<void> {
  const file = lockFileOf(workDir);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return lockText({});
    throw error;
  });
  const before = parseLock(text, file);
  const after = lockText({ ...before, ...more });
  if (after !== text) await replaceFile(file, after);
}

function isEntry(entry: LockEntry): boolean {
  if ('absent' in entry) return typeof entry.absent === 'string' && typeof entry.sources === 'string';
  const { sha256, size, source, vouched } = entry;
  const known = vouched === undefined || VOUCHERS.includes(vouched);
  return /^[0-9a-f]{64}$/.test(sha256) && Number.isSafeInteger(size) && typeof source === 'string' && known;
}

/** Forgets what a cluster has agreed on: all of it, or only what no source had. */
export async function forgetLocked(workDir: string, which: 'all' | 'absent'): Promise<void> {
  const { signal } = new AbortController();
  if (Object.keys(readLock(workDir)).length === 0) return;
  await guarded(workDir, signal, async () => {
    const kept = Object.entries(readLock(workDir)).filter(([, entry]) => which === 'absent' && !('absent' in entry));
    await replaceFile(lockFileOf(workDir), lockText(Object.fromEntries(kept)));
  });
}
