import { type ErrorCode, kubexmError } from '../../model/errors/index.ts';
import type { SmokeResult } from '../../model/report.ts';
import { defineStep } from '../../plan/step.ts';
import { CHECKS, type Check, type CheckResult, podResults, type Tried } from './checks.ts';
import type { SmokePod } from './pods.ts';

/** Everything that was tried. */
export interface SmokeReport {
  readonly pods: readonly SmokePod[];
  /** Where nodes have to reach each other for the network of pods, for people. */
  readonly ports: string;
  readonly tried: { readonly [check in Tried]: readonly CheckResult[] };
}

const CODES = {
  pod: 'KX4601',
  'pod-to-pod': 'KX4602',
  dns: 'KX4603',
  service: 'KX4604',
  'node-port': 'KX4605',
  logs: 'KX4606',
  exec: 'KX4607',
} as const satisfies Record<Check, ErrorCode>;

/** All results, kind by kind, and what each that failed means. */
export function smokeResults(results: readonly CheckResult[], ports: string): readonly SmokeResult[] {
  const ordered = CHECKS.flatMap((check) => results.filter((one) => one.check === check));
  return ordered.map(({ check, from, to, problem }) => ({
    check,
    from,
    to,
    finding: problem === null ? null : { code: CODES[check], params: { from, to, ports }, note: problem },
  }));
}

/** Reports everything that was tried at once. Something that failed fails the run. */
export const smokeReport = defineStep<SmokeReport>()({
  kind: 'smokeReport',
  description: 'Reports everything that was tried at once; fails if something of it did.',
  title: () => 'table of checks',
  nature: 'action',
  apply: async (_host, want, io): Promise<void> => {
    const results = smokeResults([...podResults(want.pods), ...Object.values(want.tried).flat()], want.ports);
    io.report({ type: 'smoke', results });
    const failed = results.filter(({ finding }) => finding !== null).length;
    if (failed > 0) throw kubexmError('KX4600', { failed, total: results.length });
  },
  example: {
    pods: [],
    ports: 'UDP 8472',
    tried: { 'pod-to-pod': [], dns: [], service: [], 'node-port': [], logs: [], exec: [] },
  },
});
