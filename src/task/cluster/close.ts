import { on } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { joinSecretsGone } from '../../step/cluster.ts';
import { firstMaster } from '../nodes.ts';

/** Removes what let nodes join. A run of a part that makes a token has the tag of this task too. */
export const closeTask = defineTask({
  name: 'cluster/close',
  description: 'Remove what let nodes join.',
  tags: ['finish', 'kubernetes', 'init', 'join'],
  steps: [joinSecretsGone],
  plan: (context) => ({ fragment: on(firstMaster(context), joinSecretsGone({})), outputs: undefined }),
});
