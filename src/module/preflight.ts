import { sequence } from '../plan/combinators.ts';
import { defineModule, moduleOf } from '../plan/layers.ts';
import { checkTask } from '../task/preflight/check.ts';
import { confirmTask } from '../task/preflight/confirm.ts';
import { greetTask } from '../task/preflight/greet.ts';

/**
 * The checks before anything is changed: all findings of all hosts in one table, and the end if one is an error. It only looks: a
 * field of the configuration that it reads has its effect elsewhere, and is named there.
 */
export const preflight = defineModule({
  name: 'preflight',
  description: 'The checks before anything is changed.',
  tasks: [greetTask, checkTask],
  plan: (context) => sequence(greetTask.use(context), checkTask.use(context)),
});

/** The question before the first change: after the table, and without it where the checks are left out. */
export const confirmation = moduleOf('confirmation', 'The question before the first change.', confirmTask);
