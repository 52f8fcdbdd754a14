import { on } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { kubeletRunning } from '../../step/kubeadm.ts';
import { programDigest } from '../artifacts/programs.ts';
import { nodesOf } from '../nodes.ts';

/** The kubelets run, and with the program that is there now. */
export const runKubeletsTask = defineTask({
  name: 'kubernetes/run',
  description: 'Keep the kubelets running with the files that are there now.',
  tags: ['kubernetes', 'kubelet'],
  steps: [kubeletRunning],
  plan: (context) => ({
    fragment: on(nodesOf(context), (host) =>
      kubeletRunning({ fingerprint: [programDigest(context, 'kubernetes', 'kubelet', host)] }),
    ),
    outputs: undefined,
  }),
});
