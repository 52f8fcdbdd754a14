import type { RunOutcome } from '../model/event.ts';
import type { ExecuteResult, Failure } from './options.ts';

/** What a run came to: a failed step outweighs a lost host, an interruption outweighs both. */
export function outcomeOf(failures: readonly Failure[], lostHosts: number, interrupted: boolean): RunOutcome {
  if (interrupted) return 'interrupted';
  if (failures.length > 0) return 'failed';
  return lostHosts > 0 ? 'partial' : 'succeeded';
}

/** Two results as one: a run and its finalizers. */
export function combine(a: ExecuteResult, b: ExecuteResult): ExecuteResult {
  const order: readonly RunOutcome[] = ['succeeded', 'partial', 'failed', 'interrupted'];
  const counts = { ...a.counts };
  for (const [outcome, count] of Object.entries(b.counts) as [keyof typeof counts, number][]) {
    counts[outcome] = (counts[outcome] ?? 0) + count;
  }
  return {
    outcome: order.indexOf(b.outcome) > order.indexOf(a.outcome) ? b.outcome : a.outcome,
    counts,
    failures: [...a.failures, ...b.failures],
    lostHosts: [...new Set([...a.lostHosts, ...b.lostHosts])],
    criticalPathMs: a.criticalPathMs + b.criticalPathMs,
    criticalPath: [...a.criticalPath, ...b.criticalPath],
  };
}
