import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SHARED_MEMORY = '/dev/shm';

/** Runs work with a directory of its own, removed whatever happens. */
export async function withScratch<T>(work: (dir: string) => Promise<T>, parent = tmpdir()): Promise<T> {
  const dir = mkdtempSync(join(parent, 'kubexm-bench-'));
  const remove = () => rmSync(dir, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    return await work(dir);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** Memory as a directory, if there is enough of it: a disk would be what is measured. */
export function memoryDirectory(bytes: number): { readonly path: string; readonly inMemory: boolean } {
  if (existsSync(SHARED_MEMORY)) {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    if (bavail * bsize > bytes) return { path: SHARED_MEMORY, inMemory: true };
  }
  return { path: tmpdir(), inMemory: false };
}
