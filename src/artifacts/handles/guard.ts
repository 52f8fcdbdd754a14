import { join } from 'node:path';
import { locked, writeError } from '../cache/index.ts';

/** Runs the work while nobody else, here or in another process, changes what is known of a cluster's artifacts. */
export async function guarded<T>(workDir: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return await locked(join(workDir, 'artifacts.guard'), signal, async () => {
    try {
      return await work();
    } catch (error) {
      throw writeError(error, workDir);
    }
  });
}
