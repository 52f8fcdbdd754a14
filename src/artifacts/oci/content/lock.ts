import { type FileLock, waitForLock } from '../../../local/lock.ts';
import { kubexmError } from '../../../model/errors/index.ts';

/** Runs the work while no other process and nobody else in this one holds the file's lock. */
export async function locked<T>(file: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const lock = await take(file, signal);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function take(file: string, signal: AbortSignal): Promise<FileLock> {
  try {
    return await waitForLock(file, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw kubexmError('KX7122', { path: file, reason }, { cause: error });
  }
}
