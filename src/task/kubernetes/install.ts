import { kubeadm } from '../../component/kubernetes.ts';
import { defineTask } from '../../plan/layers.ts';
import { installPrograms } from '../../step/artifacts.ts';
import { programs } from '../artifacts/programs.ts';
import { targetNodes } from '../nodes.ts';

/** kubeadm, kubelet and kubectl on every node. */
export const installKubernetesTask = defineTask({
  name: 'kubernetes/install',
  description: 'Install kubeadm, kubelet and kubectl.',
  tags: ['kubernetes', 'install'],
  steps: [installPrograms],
  isRequired: ({ cluster }) => kubeadm.isUsed(cluster),
  plan: (context) =>
    programs(context, targetNodes(context), 'kubernetes', ['kubeadm', 'kubelet', 'kubectl'], '/usr/local/bin'),
});
