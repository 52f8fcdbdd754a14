import { CONTROL_PLANE } from '../../component/index.ts';
import { binaryKubernetes } from '../../component/kubernetes.ts';
import { defineTask } from '../../plan/layers.ts';
import { installPrograms } from '../../step/artifacts.ts';
import { BINARY } from '../../step/binary/places.ts';
import { programs } from '../artifacts/programs.ts';
import { targetNodes } from '../nodes.ts';

/** The programs of every node, and those of the control plane on masters. */
export const binaryProgramsTask = defineTask({
  name: 'kubernetes/programs',
  description: 'Install the programs of Kubernetes, without kubeadm.',
  tags: ['kubernetes', 'install'],
  steps: [installPrograms],
  isRequired: ({ cluster }) => binaryKubernetes.isUsed(cluster),
  plan: (context) =>
    programs(
      context,
      targetNodes(context),
      'kubernetes',
      ['kubelet', 'kube-proxy', 'kubectl'],
      BINARY.bin,
      CONTROL_PLANE,
    ),
});
