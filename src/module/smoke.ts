import { nothing, sequence } from '../plan/combinators.ts';
import { defineModule, moduleOf } from '../plan/layers.ts';
import { smokeCheckTask } from '../task/smoke/check.ts';
import { removeTask } from '../task/smoke/remove.ts';
import { startTask } from '../task/smoke/start.ts';

/** The components of the catalog that a check needs beside those of the cluster. */
export const smokeComponents: readonly string[] = ['testserver'];

/** Proves with real pods that a cluster works. */
export const smokeModule = defineModule({
  name: 'smoke',
  description: 'Proves with real pods that a cluster works.',
  tasks: [startTask, smokeCheckTask, removeTask],
  plan: (context) => {
    const started = startTask.use(context);
    const checked = started.outputs ? smokeCheckTask.use(context, started.outputs) : nothing();
    return sequence(started, checked);
  },
});

/** Takes away what the check made: in the end, whatever happened. */
export const smokeEnd = moduleOf('smoke', 'Nothing of the check is left.', removeTask);
