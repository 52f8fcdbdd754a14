import { nothing, sequence } from '../plan/combinators.ts';
import { defineModule } from '../plan/layers.ts';
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
    const checked = started.outputs ? smokeCheckTask.use(context, started.outputs).fragment : nothing();
    return { fragment: sequence(started.fragment, checked), outputs: undefined };
  },
});

/** Takes away what the check made: in the end, whatever happened. */
export const smokeEnd = defineModule({
  name: 'smoke',
  description: 'Nothing of the check is left.',
  tasks: [removeTask],
  plan: (context) => ({ fragment: removeTask.use(context).fragment, outputs: undefined }),
});
