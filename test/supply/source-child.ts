import { spawnSync } from 'node:child_process';
import type { Job } from '../../src/artifacts/cache/types.ts';
import { openBlobStore } from '../../src/artifacts/oci/index.ts';
import { upstream } from '../../src/artifacts/sources/index.ts';

/** The job of a process. */
export interface Told {
  readonly job: Job;
  readonly store: string;
  /** After a failure the disk gets this size, and it is tried again. */
  readonly grow?: { readonly mount: string; readonly size: string };
}

const told = JSON.parse(process.argv[2] ?? '') as Told;

async function once(): Promise<unknown> {
  const io = { signal: new AbortController().signal, env: {}, progress: () => undefined, say: () => undefined };
  try {
    const store = await openBlobStore(told.store);
    return { got: [...(await upstream({ attempts: 2, delaySeconds: 0.01 }).get(told.job, store, io))] };
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    return { code, message };
  }
}

const results = [await once()];
if (told.grow !== undefined) {
  const { mount, size } = told.grow;
  spawnSync('mount', ['-o', `remount,size=${size}`, mount], { stdio: 'ignore' });
  results.push(await once());
}
process.stdout.write(JSON.stringify(results));
