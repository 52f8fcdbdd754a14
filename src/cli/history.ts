import type { EventReader, RunRecord } from '../index.ts';
import { chooseHistory } from './choose-cluster.ts';
import { cliError } from './cli-error.ts';
import type { Call } from './command-spec.ts';
import type { Style } from './output/color.ts';

/** A run and the store that knows it. */
export interface FoundRun {
  readonly record: RunRecord;
  readonly reader: EventReader;
  /** Where the `.kubexm` that holds it is. */
  readonly baseDir: string;
}

/** Opens what is known about runs, for as long as the work takes. */
export async function withHistory<T>(
  call: Call,
  work: (readers: readonly EventReader[], baseDir: string) => T | Promise<T>,
): Promise<T> {
  const { openHistory } = await import('../index.ts');
  const chosen = await chooseHistory(call);
  const stores = openHistory(chosen);
  try {
    return await work(
      stores.map((store) => store.reader),
      chosen.baseDir,
    );
  } finally {
    for (const { reader } of stores) reader.close();
  }
}

/** Runs of all stores, newest first. */
export function listRuns(
  readers: readonly EventReader[],
  filter: { readonly pipeline?: string; readonly limit: number },
): RunRecord[] {
  return readers
    .flatMap((reader) => reader.listRuns(filter))
    .sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1))
    .slice(0, filter.limit);
}

/** The run a person means: its name, the beginning or the end of it, or `last`. */
export function findRun(readers: readonly EventReader[], word: string, baseDir: string): FoundRun {
  const all = readers.flatMap((reader) =>
    reader.listRuns({ limit: 10_000 }).map((record) => ({ record, reader, baseDir })),
  );
  all.sort((a, b) => b.record.startedAt - a.record.startedAt);
  const exact = all.filter(({ record }) => record.id === word);
  const near = all.filter(({ record }) => record.id.startsWith(word) || record.id.endsWith(word));
  const found = word === 'last' ? all.slice(0, 1) : exact.length > 0 ? exact : near;
  const [first] = found;
  if (first === undefined) {
    throw cliError('KX1022', { run: word }, { similar: { word, among: all.map(({ record }) => record.id) } });
  }
  if (found.length > 1) {
    const runs = found
      .map(({ record }) => record.id)
      .slice(0, 8)
      .join(', ');
    throw cliError('KX1023', { run: word, count: found.length, runs });
  }
  return first;
}

/** How long a run took, or has taken so far. */
export function runDuration(record: RunRecord, now: number): number {
  if (record.finished) return record.finished.durationMs;
  return (record.status === 'running' ? now : record.lastAt) - record.startedAt;
}

/** Whether going on with a run is possible. */
export function isResumable(record: RunRecord): boolean {
  if (record.dryRun || record.status === 'running') return false;
  return record.finished ? record.finished.resumable : true;
}

/** The name of a status: the key of its text and its colour. */
export function statusOf(record: RunRecord) {
  const style: Record<RunRecord['status'], Style> = {
    succeeded: 'green',
    failed: 'red',
    partial: 'yellow',
    interrupted: 'yellow',
    running: 'cyan',
    unknown: 'yellow',
  };
  const status = record.status === 'unknown' ? ('died' as const) : record.status;
  return { key: `run.${status}` as const, style: style[record.status] };
}
