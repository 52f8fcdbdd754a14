import { sequence } from '../plan/combinators.ts';
import { defineModule } from '../plan/layers.ts';
import type { AnyStep } from '../plan/step.ts';
import { type ResetInputs, resetTasks } from '../task/reset/undo.ts';

/** Puts hosts back as they were before the cluster. `more`: kinds of steps beside the generic ones that entries may be of. */
export function resetModule(more: readonly AnyStep[]) {
  const { undoTask, forgetTask } = resetTasks(more);
  return defineModule<ResetInputs>({
    name: 'reset',
    description: 'Hosts as they were before the cluster.',
    tasks: [undoTask, forgetTask],
    plan: (context, inputs) => sequence(undoTask.use(context, inputs), forgetTask.use(context, inputs)),
  });
}
