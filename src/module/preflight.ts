import { sequence } from '../plan/combinators.ts';
import { defineModule } from '../plan/layers.ts';
import { checkTask } from '../task/preflight/check.ts';
import { type ConfirmInputs, confirmTask } from '../task/preflight/confirm.ts';
import { greetTask } from '../task/preflight/greet.ts';

/**
 * The checks before anything is changed: all findings of all hosts in one table, and the end if one is an error. It only looks: a
 * field of the configuration that it reads has its effect elsewhere, and is named there.
 */
export const preflight = defineModule({
  name: 'preflight',
  description: 'The checks before anything is changed.',
  tasks: [greetTask, checkTask],
  plan: (context) => ({
    fragment: sequence(greetTask.use(context).fragment, checkTask.use(context).fragment),
    outputs: undefined,
  }),
});

/** The question before the first change: after the table, and without it where the checks are left out. */
export const confirmation = defineModule<ConfirmInputs>({
  name: 'confirmation',
  description: 'The question before the first change.',
  tasks: [confirmTask],
  plan: (context, inputs) => ({ fragment: confirmTask.use(context, inputs).fragment, outputs: undefined }),
});
