import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ProcessOptions, runChild } from './process.ts';

/** The settings of a run of the benchmarks' pipeline. */
export interface RunSettings {
  readonly config: string;
  readonly base: string;
  readonly root: string;
  readonly changes?: number;
  readonly nonce?: string;
  /** Files to send, with commas between them, and their digests. */
  readonly source?: string;
  readonly sha256?: string;
}

/** What it tells. Marks are in milliseconds after the library was loaded; of several hosts the last one counts. */
export interface RunAnswer {
  readonly seconds: number;
  readonly outcome: string;
  readonly counts: Readonly<Partial<Record<string, number>>>;
  readonly marks: Readonly<Record<'host-connected' | 'run-finished' | 'closed', number>>;
}

/** Runs the benchmarks' pipeline in a process of its own, and insists on how its nodes ended. */
export async function runKubexm(
  file: string,
  settings: RunSettings,
  expected: Readonly<Record<string, number>> | undefined,
  options: Pick<ProcessOptions, 'onMessage'> = {},
): Promise<RunAnswer> {
  const args = { changes: 0, nonce: '', source: '', sha256: '', ...settings };
  // As dist/kubexm.mjs does.
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const env = { ...process.env, NODE_COMPILE_CACHE: join(cache, 'kubexm', 'compiled') };
  const answer = await runChild<RunAnswer>(file, args, { ...options, env });
  const counts = JSON.stringify(answer.counts);
  if (answer.outcome !== 'succeeded' || (expected && counts !== JSON.stringify(expected))) {
    throw new Error(`the run ended otherwise than it should: ${JSON.stringify(answer)}`);
  }
  return answer;
}
