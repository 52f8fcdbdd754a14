import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startProxy } from '../../test/rig/sshd.ts';
import { buildProgram, bundle } from '../lib/bundle.ts';
import { writeConfig } from '../lib/config.ts';
import { startCountingProxy } from '../lib/counting-proxy.ts';
import { noHosts, withHosts } from '../lib/hosts.ts';
import { type RunAnswer, type RunSettings, runKubexm } from '../lib/kubexm.ts';
import { atMost, info, type Row, type Section } from '../lib/report.ts';
import { measuredRoundTrip } from '../lib/round-trip.ts';
import { interleave, type Sample, sampleOf } from '../lib/stats.ts';

const ROUND_TRIP_MS = 40;
const STEPS = 20;
const FEW = 5;
const MANY = 25;
const ROUNDS = 5;
const UNIT = 'round trips';

interface Timed extends RunAnswer {
  /** Waits for an answer after login until the run was finished, and until the process had said goodbye. */
  readonly waits: number;
  readonly waitsInAll: number;
}

/** What a distant host costs. */
export const latency: Section = {
  name: 'latency',
  title: 'Distant hosts',
  problem: noHosts,
  async run() {
    await buildProgram();
    return await withHosts(1, async (hosts) => {
      const file = await bundle('run', hosts.dir);
      const [host] = hosts.hosts;
      const delay = await startProxy(host?.port ?? 0);
      const near = await startCountingProxy(delay.port, ROUND_TRIP_MS * 0.7);
      const base = join(hosts.dir, 'kubexm');
      mkdirSync(base);
      const config = writeConfig(base, hosts, [near.port]);
      let nonce = 0;
      const run = async (
        delayMs: number,
        more: Partial<RunSettings>,
        expected?: Record<string, number>,
      ): Promise<Timed> => {
        delay.delayMs = delayMs;
        const marks: Record<string, number> = {};
        const onMessage = (message: unknown) => {
          marks[String(message)] = near.waits;
        };
        const settings = { config, base, root: '/srv/kubexm', nonce: String(nonce++), ...more };
        const answer = await runKubexm(file, settings, expected, { onMessage });
        const since = (name: string) => (marks[name] ?? Number.NaN) - (marks['host-connected'] ?? Number.NaN);
        return {
          ...answer,
          waits: since('run-finished'),
          waitsInAll: near.waits - (marks['host-connected'] ?? Number.NaN),
        };
      };
      try {
        await run(0, {});
        await run(0, { changes: 1 });
        const satisfied = (delayMs: number) => () => run(delayMs, {}, { satisfied: STEPS });
        const changing = (delayMs: number, changes: number) => () => run(delayMs, { changes }, { changed: changes });
        const half = ROUND_TRIP_MS / 2;
        const turns = await interleave(ROUNDS, {
          satisfiedNear: satisfied(0),
          satisfiedFar: satisfied(half),
          fewNear: changing(0, FEW),
          fewFar: changing(half, FEW),
          manyNear: changing(0, MANY),
          manyFar: changing(half, MANY),
        });
        const tripMs = await measuredRoundTrip(half);
        return { rows: rowsOf(turns, tripMs), how: howOf(tripMs) };
      } finally {
        await near.close();
        await delay.close();
      }
    });
  },
};

/** A fraction is late timers and the noise of two measurements, not a round trip: there are no halves of those. */
function nearly(what: string, trips: number, sample: Sample, digits: number): Row {
  return { ...info(what, sample, UNIT, digits), target: `about ${trips}`, met: Math.round(sample.median) <= trips };
}

type Turns = Readonly<
  Record<'satisfiedNear' | 'satisfiedFar' | 'fewNear' | 'fewFar' | 'manyNear' | 'manyFar', readonly Timed[]>
>;

function rowsOf(turns: Turns, tripMs: number): readonly Row[] {
  const spent = ({ marks }: Timed, to: 'run-finished' | 'closed') => marks[to] - marks['host-connected'];
  const trips = (near: readonly Timed[], far: readonly Timed[], to: 'run-finished' | 'closed') =>
    far.map((one, i) => (spent(one, to) - spent(near[i] as Timed, to)) / tripMs);
  const { satisfiedNear, satisfiedFar, fewNear, fewFar, manyNear, manyFar } = turns;
  const few = trips(fewNear, fewFar, 'run-finished');
  const perChange = trips(manyNear, manyFar, 'run-finished').map((one, i) => (one - (few[i] ?? 0)) / (MANY - FEW));
  const counted = manyFar.map((one, i) => (one.waits - (fewFar[i]?.waits ?? 0)) / (MANY - FEW));
  const login = satisfiedFar.map(
    (one, i) => (one.marks['host-connected'] - (satisfiedNear[i]?.marks['host-connected'] ?? 0)) / tripMs,
  );
  return [
    atMost(`${STEPS} satisfied steps, counted`, 3, sampleOf(satisfiedFar.map((one) => one.waits)), UNIT, 0),
    nearly(`${STEPS} satisfied steps, by time`, 3, sampleOf(trips(satisfiedNear, satisfiedFar, 'run-finished')), 1),
    nearly('a changing step, counted', 1, sampleOf(counted), 2),
    nearly('a changing step, by time', 1, sampleOf(perChange), 2),
    info('login before that, by time', sampleOf(login), UNIT, 1),
    info('with the goodbye after it, by time', sampleOf(trips(satisfiedNear, satisfiedFar, 'closed')), UNIT, 1),
    info('with the goodbye after it, counted', sampleOf(satisfiedFar.map((one) => one.waitsInAll)), UNIT, 0),
  ];
}

const howOf = (tripMs: number) => [
  `One host behind a proxy that adds ${ROUND_TRIP_MS} ms to every round trip, or nothing; ${ROUNDS} times in turns. *By time*: the ` +
    `difference between the two, divided by what a round trip really took (${tripMs.toFixed(1)} ms: timers are a little late). ` +
    '*Counted*: a second proxy beside the client counts how often the client had to wait for an answer before it said more.',
  'Login is everything until the facts of the host are there: TCP, the SSH version exchange, key exchange, authentication, ' +
    'opening the channel, becoming root, and the one round trip that loads the shell library and gathers the facts. What is ' +
    'counted begins there and ends when the run is finished: lock, checks and changes, release. The goodbye, the end of shell ' +
    `and connection, comes after the run. A changing step is the difference between ${MANY} and ${FEW} files written one after ` +
    'the other, each with its before-image, its intent and result durable in the journal, and its check afterwards.',
];
