import type { EventSink } from '../model/event.ts';
import {
  type FanOut,
  fanOut,
  openEventReader,
  openEventStore,
  openJsonLog,
  type Redactor,
  type Sink,
  writeMetricsFile,
} from '../observe/index.ts';
import type { RunDir } from '../state/run-store.ts';
import type { WorkDir } from '../state/work-dir.ts';

/** Everything that receives the events of a run: its log, the cluster's event store, and the caller's sinks. */
export async function runSinks(
  workDir: WorkDir,
  dir: RunDir,
  redactor: Redactor,
  more: readonly EventSink[],
): Promise<FanOut> {
  const callers = more.map((write): Sink => ({ name: 'caller', write }));
  return fanOut(redactor, [await openJsonLog(dir.log), openEventStore(workDir.events), ...callers]);
}

/** Writes the cluster's metrics, for a collector that reads files. What cannot be written is no failure of the run. */
export async function writeRunMetrics(workDir: WorkDir): Promise<void> {
  try {
    const reader = openEventReader(workDir.events);
    try {
      await writeMetricsFile(reader, workDir.metrics);
    } finally {
      reader.close();
    }
  } catch {
    // The store or the disk is not available; the log has said so already.
  }
}
