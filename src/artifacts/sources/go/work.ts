import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Runs the work with a directory of its own below the cache, which is gone afterwards. */
export async function withWorkDirectory<T>(cacheDir: string, work: (directory: string) => Promise<T>): Promise<T> {
  const parent = join(cacheDir, 'work');
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, 'go-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}
