import { resetModule } from '../../module/reset.ts';
import { definePipeline, type Pipeline } from '../../plan/layers.ts';
import type { AnyStep } from '../../plan/step.ts';

/** The parameters of `kubexm reset nodes`. */
export interface ResetNodesParams {
  readonly nodes: readonly string[];
  /** What cannot be undone stays as it is, is reported with the reason, and belongs to no cluster from then on. */
  readonly leave?: boolean;
}

/** Undoes what hosts' manifests say. `more`: kinds of steps beside the generic ones that their entries may be of. */
export function resetNodesWith(more: readonly AnyStep[]): Pipeline<ResetNodesParams> {
  const reset = resetModule(more);
  return definePipeline<ResetNodesParams>({
    name: 'reset nodes',
    description: 'Put hosts back as they were before kubexm changed them.',
    actsOn: ['**'],
    modules: [reset],
    policy: 'undo',
    plan: (context, params) => reset.plan(context, params),
  });
}

/** Undoes what hosts' manifests say. */
export const resetNodes = resetNodesWith([]);
