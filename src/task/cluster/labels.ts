import { binaryKubernetes } from '../../component/kubernetes.ts';
import { nothing, on } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import { nodeLabels } from '../../step/cluster/index.ts';
import { configOf } from '../kubernetes/settings.ts';
import { healthyMaster, targetNodes } from '../nodes.ts';

/** What kubeadm gives to masters. A kubelet may not give itself a role. */
const OF_MASTERS = {
  'node-role.kubernetes.io/control-plane': '',
  'node.kubernetes.io/exclude-from-external-load-balancers': '',
};

/** Labels of the nodes: roles that kubeadm does not know, and those of the configuration. */
export const labelsTask = defineTask({
  name: 'cluster/labels',
  description: 'Label the nodes.',
  tags: ['finish', 'labels'],
  steps: [nodeLabels],
  plan: (context) => {
    const labelled = targetNodes(context)
      .map((node) => [node.name, labelsOf(context, node)] as const)
      .filter(([, labels]) => Object.keys(labels).length > 0);
    const nodes = Object.fromEntries(labelled);
    return labelled.length === 0 ? nothing() : on(healthyMaster(context), nodeLabels({ nodes }));
  },
});

function labelsOf(context: PlanContext, node: PlanHost): Readonly<Record<string, string>> {
  const worker = node.roles.includes('worker') ? { 'node-role.kubernetes.io/worker': '' } : {};
  const master = node.roles.includes('master') && binaryKubernetes.isUsed(context.cluster) ? OF_MASTERS : {};
  return { ...worker, ...master, ...configOf(context, node).labels };
}
