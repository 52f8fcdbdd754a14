import { kubexmError } from '../../model/errors/index.ts';
import { defineStep } from '../../plan/step.ts';
import { type CheckResult, podResults, type Tried } from './checks.ts';
import type { SmokePod } from './pods.ts';
import { resultsTable } from './table.ts';

/** Everything that was tried. */
export interface SmokeReport {
  readonly pods: readonly SmokePod[];
  /** Where nodes have to reach each other for the network of pods, for people. */
  readonly ports: string;
  readonly tried: { readonly [check in Tried]: readonly CheckResult[] };
}

/** Shows one table of everything that was tried. Something that failed fails the run. */
export const smokeReport = defineStep<SmokeReport>()({
  kind: 'smokeReport',
  description: 'Shows everything that was tried in one table; fails if something of it did.',
  title: () => 'table of checks',
  nature: 'action',
  apply: async (_host, want, io): Promise<void> => {
    const results = [...podResults(want.pods), ...Object.values(want.tried).flat()];
    io.say(resultsTable(results, want.ports, io.lang ?? 'en'));
    const failed = results.filter(({ problem }) => problem !== null).length;
    if (failed > 0) throw kubexmError('KX4600', { failed, total: results.length });
  },
  example: {
    pods: [],
    ports: 'UDP 8472',
    tried: { 'pod-to-pod': [], dns: [], service: [], 'node-port': [], logs: [], exec: [] },
  },
});
