import { configFingerprint } from '../config/index.ts';
import { crashPoints } from '../engine/crash.ts';
import { Journal, type Replay } from '../engine/journal.ts';
import type { JournalWriter } from '../engine/options.ts';
import type { RunDir } from '../state/run-store.ts';
import { version } from '../state/version.ts';
import type { Parts } from './prepared-run.ts';
import type { RunPipelineOptions } from './run-pipeline.ts';

/** The journal of a run, and what an earlier process of it has written there. */
interface RunJournal {
  readonly journal: JournalWriter;
  readonly replay: Replay | undefined;
  close(): Promise<void>;
}

const noJournal: JournalWriter = { append: () => undefined, durable: async () => undefined };

/** Opens the journal of a run: that of a resumed one goes on, a dry run has none. */
export function openRunJournal(
  dir: RunDir,
  { env = process.env, dryRun }: RunPipelineOptions,
  { config, earlier, run }: Parts,
  plan: { readonly pipeline: string; readonly planHash: string },
): RunJournal {
  if (dryRun) return { journal: noJournal, replay: undefined, close: async () => undefined };
  const crash = crashPoints(env['KUBEXM_CRASH_AT']);
  if (earlier) {
    const { journal, replay } = Journal.reopen(dir.journal, crash);
    journal.append({ node: 'run', phase: 'resumed' });
    return { journal, replay, close: () => journal.close() };
  }
  const journal = Journal.create(
    dir.journal,
    {
      version: 1,
      run,
      pipeline: plan.pipeline,
      cluster: config.cluster.metadata.name,
      startedAt: new Date().toISOString(),
      kubexm: version,
      configHash: configFingerprint(config.cluster),
      planHash: plan.planHash,
    },
    crash,
  );
  return { journal, replay: undefined, close: () => journal.close() };
}
