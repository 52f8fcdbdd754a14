import { setTimeout as sleep } from 'node:timers/promises';
import { kubexmError } from '../../model/errors/index.ts';
import type { Host } from '../../model/host.ts';
import { defineStep, type StepIo } from '../../plan/step.ts';
import { type CheckResult, type Trial, type Tried, trialsOf } from './checks.ts';
import { kubectl, reasonOf } from './kubectl.ts';
import { SMOKE } from './objects.ts';
import type { SmokePod } from './pods.ts';

/** One kind of check with the pods that there are. */
export interface SmokeTry {
  readonly check: Tried;
  readonly pods: readonly SmokePod[];
  /** The name of a Service for them. */
  readonly service: string;
  readonly domain: string;
  /** A new Service reaches the last node after a moment: so long something may fail and be tried again. */
  readonly graceSeconds: number;
}

const AT_ONCE = 3;

/** Tries one kind of check everywhere. That something fails is a result, and no failure of the step. */
export const smokeTry = defineStep<SmokeTry>()({
  kind: 'smokeTry',
  description: 'Tries one kind of thing that a cluster must be able to do, from pods on every node.',
  title: (want) => `check ${want.check}`,
  nature: 'action',
  apply: async (host, want, io): Promise<readonly CheckResult[]> => {
    const nodePort = want.check === 'node-port' ? await nodePortOf(host, io) : 0;
    const trials = trialsOf(want.check, { ...want, nodePort, master: host.name });
    const end = performance.now() + want.graceSeconds * 1000;
    const results: CheckResult[] = [];
    const rest = trials.entries();
    const work = async (): Promise<void> => {
      for (const [i, trial] of rest) {
        const problem = await attempt(host, trial, end, io);
        results[i] = { check: want.check, from: trial.from, to: trial.to, problem };
        io.progress(Object.keys(results).length, trials.length, 'parts');
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return results;
  },
  timeoutSeconds: ({ pods }) => 120 + pods.length * 30,
  estimateSeconds: 2,
  example: { check: 'dns', pods: [], service: 'testserver', domain: 'cluster.local', graceSeconds: 15 },
});

/** Why it failed to the end; null where it succeeded. */
async function attempt(host: Host, trial: Trial, end: number, io: StepIo): Promise<string | null> {
  for (;;) {
    const output = await host.run(trial.script, { timeoutSeconds: 30, signal: io.signal });
    if (trial.isGood(output)) return null;
    const isLast = performance.now() >= end;
    if (isLast) return output.code === 0 ? `unexpected: ${output.stdout.trim()}` : reasonOf(output);
    await sleep(1000, undefined, { signal: io.signal });
  }
}

async function nodePortOf(host: Host, io: StepIo): Promise<number> {
  const words = ['get', 'service', SMOKE.nodePortService, '-o', 'jsonpath={.spec.ports[0].nodePort}'];
  const output = await host.run(kubectl(words), { signal: io.signal });
  const port = Number(output.stdout);
  if (output.code === 0 && port > 0) return port;
  throw kubexmError('KX4608', { what: 'services', reason: reasonOf(output) });
}
