import { bundle } from '../lib/bundle.ts';
import { runChild } from '../lib/process.ts';
import { atMost, info, type Section } from '../lib/report.ts';
import { withScratch } from '../lib/scratch.ts';
import { interleave, sampleOf } from '../lib/stats.ts';

const HOSTS = 5000;
const STEPS = 100;
// With everything at once, more than the event store lets wait would be dropped.
const FEWER = 500;
const ROUNDS = 5;

interface Answer {
  readonly microsecondsPerNode: number;
  readonly peakMb: number;
}

/** What the engine itself costs, when the machines cost nothing. */
export const schedule: Section = {
  name: 'schedule',
  title: 'Scheduling',
  run: () =>
    withScratch(async (dir) => {
      const file = await bundle('schedule', dir);
      const run = (what: string, hosts: number) => () =>
        runChild<Answer>(file, { hosts, steps: STEPS, with: what, dir });
      const turns = await interleave(ROUNDS, {
        bare: run('nothing', HOSTS),
        journal: run('journal', HOSTS),
        everything: run('sinks', FEWER),
      });
      const perNode = (answers: readonly Answer[]) => sampleOf(answers.map((one) => one.microsecondsPerNode));
      const peak = (answers: readonly Answer[]) => sampleOf(answers.map((one) => one.peakMb));
      return {
        rows: [
          atMost('without a journal', 15, perNode(turns.bare), 'µs a node', 1),
          atMost('with the journal', 60, perNode(turns.journal), 'µs a node', 1),
          info(
            `with journal, redaction, log and event store (${FEWER} hosts)`,
            perNode(turns.everything),
            'µs a node',
            1,
          ),
          info('memory, without a journal', peak(turns.bare), 'MB', 0),
        ],
        how: [
          `${HOSTS} hosts × ${STEPS} steps that are always satisfied, ${ROUNDS} times in turns, each in a process of its own. The ` +
            'machines are in memory and answer at once; what is left is the engine: readiness, batches of checks, verdicts, events. ' +
            "The journal is the real one, in the system's temporary directory, and is counted until its last line is on disk; " +
            'checks that find nothing to do are written without waiting for the disk.',
        ],
      };
    }),
};
