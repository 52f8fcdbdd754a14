import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJournal } from '../engine/journal.ts';
import type { Machine } from '../model/host.ts';
import { sh } from '../model/script.ts';

/** What only the machine has that a run was started on goes on for so long: nobody else can tell whether it is resumed. */
const DAYS = 30;
const RUN = /^\d{8}-\d{6}-[0-9a-f]+$/;

/** A run as its directory tells it; undefined where there is none, or none that can be read. */
function readRun(runs: string, run: string) {
  try {
    const { header, ended } = readJournal(join(runs, run, 'journal.jsonl')).replay;
    const [params, selection] = ['params', 'selection'].map((name) =>
      readFileSync(join(runs, run, `${name}.json`), 'utf8'),
    );
    return { ended, work: JSON.stringify([header.pipeline, params, selection]) };
  } catch {
    return undefined;
  }
}

/** A later run that has done the same and succeeded: to go on with the earlier one would put back what is in use since. */
export function successorOf(runs: string, run: string): string | undefined {
  const own = readRun(runs, run);
  if (!own) return undefined;
  const later = readdirSync(runs).filter((name) => RUN.test(name) && name > run);
  return later.sort().find((name) => {
    const other = readRun(runs, name);
    return other?.ended === 'succeeded' && other.work === own.work;
  });
}

/** Whether nobody can go on with a run, nor roll it back, whose records were last changed so many days ago. */
export function isOver(runs: string, run: string, days: number): boolean {
  if (!RUN.test(run)) return false;
  // Started from another directory, or its own is gone.
  if (!existsSync(join(runs, run))) return days >= DAYS;
  return readRun(runs, run)?.ended === 'succeeded' || successorOf(runs, run) !== undefined;
}

/** Forgets the before-images that runs which are over have left on machines. What cannot be looked at stays. */
export async function forgetOldRuns(machines: Iterable<Machine>, runs: string): Promise<void> {
  await Promise.allSettled(
    [...machines].map(async (machine) => {
      const { code, stdout } = await machine.run(sh`kx_undo_runs`);
      const found = code === 0 ? stdout.split('\n').map((line) => line.split(' ')) : [];
      const over = found.flatMap(([run = '', days]) => (isOver(runs, run, Number(days)) ? [run] : []));
      if (over.length > 0) await machine.run(sh`kx_undo_prune ${over}`);
    }),
  );
}
