import type { EventSink } from '../model/event.ts';
import { type FanOut, fanOut, openEventStore, openJsonLog, type Redactor, type Sink } from '../observe/index.ts';
import type { RunDir } from './run-store.ts';
import type { WorkDir } from './work-dir.ts';

/** Everything that hears of a run: its log, the cluster's event store, and whoever the caller brought. */
export async function runSinks(
  workDir: WorkDir,
  dir: RunDir,
  redactor: Redactor,
  more: readonly EventSink[],
): Promise<FanOut> {
  const callers = more.map((write): Sink => ({ name: 'caller', write }));
  return fanOut(redactor, [await openJsonLog(dir.log), openEventStore(workDir.events), ...callers]);
}
