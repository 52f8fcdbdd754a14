import type { Text } from '../../model/errors/index.ts';
import { on } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { confirm } from '../../step/preflight/index.ts';

/** What is asked. */
export interface ConfirmInputs {
  readonly question: Text;
}

/** Asks whether to go on; without a yes the run ends. `--yes` answers. */
export const confirmTask = defineTask<ConfirmInputs>({
  name: 'preflight/confirm',
  description: 'Ask whether to go on.',
  // No tag selects it and none leaves it out: that would be a second --yes.
  tags: [],
  steps: [confirm],
  plan: (context, { question }) => on(context.local, confirm({ question })),
});
