import type { ExecutionGraph } from '../plan/graph.ts';
import type { Timed } from './ledger.ts';
import type { ExecuteResult } from './options.ts';

/** As many steps of the path are kept: it may have thousands. */
const STEPS = 30;

/** The chain of waits that a run really had: how long it took, and its longest steps in order. */
export function criticalPathOf(
  graph: ExecutionGraph,
  path: readonly Timed[],
): Pick<ExecuteResult, 'criticalPath' | 'criticalPathMs'> {
  const steps = path.filter(({ durationMs }) => durationMs > 0).sort((a, b) => b.durationMs - a.durationMs);
  const longest = new Set(steps.slice(0, STEPS));
  return {
    criticalPathMs: path.reduce((sum, { durationMs }) => sum + durationMs, 0),
    criticalPath: path
      .filter((one) => longest.has(one))
      .map(({ i, durationMs }) => ({ node: graph.id(i), durationMs })),
  };
}
