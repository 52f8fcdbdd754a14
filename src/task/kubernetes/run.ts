import { kubeadm } from '../../component/kubernetes.ts';
import { on } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import { kubeletRunning } from '../../step/kubeadm/index.ts';
import { programDigest } from '../artifacts/programs.ts';
import { targetNodes } from '../nodes.ts';

/** The kubelets run, and with the program that is there now. That of a machine without one is started by kubeadm. */
export const runKubeletsTask = defineTask({
  name: 'kubernetes/run',
  description: 'Keep the kubelets running with the files that are there now.',
  tags: ['kubernetes', 'kubelet'],
  steps: [kubeletRunning],
  isRequired: (context) => kubeadm.isUsed(context.cluster) && withKubelet(context).length > 0,
  plan: (context) =>
    on(withKubelet(context), (host) =>
      kubeletRunning({ fingerprint: [programDigest(context, 'kubernetes', 'kubelet', host)] }),
    ),
});

function withKubelet(context: PlanContext): readonly PlanHost[] {
  return targetNodes(context).filter(({ facts }) => facts.commands.includes('kubelet'));
}
