import { isDeepStrictEqual } from 'node:util';
import type { Diff } from '../plan/diff.ts';
import { NO_IMAGE } from './before-image.ts';
import type { Execution } from './execution.ts';
import { FailedCommand } from './perform.ts';

/** What a check found before a change. */
export interface Found {
  readonly seen: unknown;
  readonly diff: Diff;
}

/**
 * Whether a step that could not be put back has changed nothing: a connection that broke, or a process that was killed, before
 * the before-image was kept leaves none, and nothing to put back. Only for steps without a revert of their own, which may
 * know of more than the check sees. `before`: what this process found, or that an earlier one began. `error`: why it could not
 * be put back.
 */
export async function isUntouched(
  { options, values }: Execution,
  i: number,
  before: Found | 'earlier',
  error: unknown,
): Promise<boolean> {
  const { graph, machines, stop: signal } = options;
  const step = graph.use(i)?.step;
  const machine = machines.get(graph.host(i));
  if (!step?.probe || step.revert || !machine) return false;
  if (before === 'earlier' && !neverBegan(options, graph.id(i), error)) return false;
  const want = values.forCheck(i);
  const [answer] = await machine.batch([step.probe(want)], { signal });
  const verdict = answer && step.judge?.(answer, want);
  if (verdict?.verdict !== 'needed') return false;
  const { seen, diff } = verdict;
  return before === 'earlier' || isDeepStrictEqual({ seen, diff }, before);
}

/**
 * Whether an earlier process was killed between the intent and the change. The before-image is on disk before a change begins,
 * and goes only when the journal says `reverted`: where there is none, nothing was changed.
 */
function neverBegan({ replay }: Execution['options'], node: string, error: unknown): boolean {
  const hasNoImage = error instanceof FailedCommand && error.output.code === NO_IMAGE;
  return hasNoImage && replay?.changed.has(node) === false;
}
