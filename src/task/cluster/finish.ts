import { nothing, on, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import { health, nodeLabels } from '../../step/cluster.ts';
import { configOf } from '../kubernetes/settings.ts';
import { firstMaster, nodesOf } from '../nodes.ts';

/** Labels of the nodes, and the last look at all of them. */
export const finishTask = defineTask({
  name: 'cluster/finish',
  description: 'Label the nodes; tell how the cluster is.',
  tags: ['finish'],
  steps: [nodeLabels, health],
  plan: (context) => {
    const first = firstMaster(context);
    const labelled = nodesOf(context)
      .map((node) => [node.name, labelsOf(context, node)] as const)
      .filter(([, labels]) => Object.keys(labels).length > 0);
    const labels = labelled.length === 0 ? nothing() : on(first, nodeLabels({ nodes: Object.fromEntries(labelled) }));
    return { fragment: sequence(labels, on(first, health({}))), outputs: undefined };
  },
});

function labelsOf(context: PlanContext, node: PlanHost): Readonly<Record<string, string>> {
  const roles = node.roles.includes('worker') ? { 'node-role.kubernetes.io/worker': '' } : {};
  return { ...roles, ...configOf(context, node).labels };
}
