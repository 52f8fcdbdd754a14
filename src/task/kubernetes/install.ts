import { defineTask } from '../../plan/layers.ts';
import { installProgram } from '../../step/artifacts.ts';
import { programs } from '../artifacts/programs.ts';
import { nodesOf } from '../nodes.ts';

/** kubeadm, kubelet and kubectl on every node. */
export const installKubernetesTask = defineTask({
  name: 'kubernetes/install',
  description: 'Install kubeadm, kubelet and kubectl.',
  tags: ['kubernetes', 'install'],
  steps: [installProgram],
  plan: (context) => ({
    fragment: programs(context, nodesOf(context), 'kubernetes', ['kubeadm', 'kubelet', 'kubectl'], '/usr/local/bin'),
    outputs: undefined,
  }),
});
