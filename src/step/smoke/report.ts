import { kubexmError } from '../../model/errors/index.ts';
import { defineStep } from '../../plan/step.ts';
import { type CheckResult, podResults, type Tried } from './checks.ts';
import type { SmokePod } from './pods.ts';
import { resultsTable } from './table.ts';

/** Everything that was tried. */
export interface SmokeReport {
  readonly pods: readonly SmokePod[];
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
    io.say(resultsTable(results, io.lang ?? 'en'));
    const failed = results.filter(({ problem }) => problem !== null).length;
    if (failed > 0) throw kubexmError('KX4600', { failed, total: results.length });
  },
  example: {
    pods: [],
    tried: { 'pod-to-pod': [], dns: [], service: [], 'node-port': [], logs: [], exec: [] },
  },
});
