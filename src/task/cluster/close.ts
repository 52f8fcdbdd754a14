import { kubeadm } from '../../component/kubernetes.ts';
import { on } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { joinSecretsGone } from '../../step/cluster/index.ts';
import { healthyMaster } from '../nodes.ts';

/** Removes what let nodes join. It has the tags of the task that makes a token, and no other: no run has one without the other. */
export const closeTask = defineTask({
  name: 'cluster/close',
  description: 'Remove what let nodes join.',
  tags: ['kubernetes', 'join'],
  steps: [joinSecretsGone],
  // Only kubeadm lets nodes join by tokens.
  isRequired: ({ cluster }) => kubeadm.isUsed(cluster),
  plan: (context) => on(healthyMaster(context), joinSecretsGone({})),
});
