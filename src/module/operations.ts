import { defineModule } from '../plan/layers.ts';
import { type RunCommandInputs, runCommandTask } from '../task/operations/run-command.ts';

/** Day-to-day operations on hosts, outside of any component. */
export const operations = defineModule<RunCommandInputs>({
  name: 'operations',
  description: 'Day-to-day operations on hosts.',
  tasks: [runCommandTask],
  plan: (context, inputs) => ({ fragment: runCommandTask.use(context, inputs).fragment, outputs: undefined }),
});
