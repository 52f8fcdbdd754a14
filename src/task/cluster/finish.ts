import { nothing, on, parallel } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import { joinSecretsGone, nodeLabels } from '../../step/cluster.ts';
import { configOf } from '../kubernetes/settings.ts';
import { firstMaster, nodesOf } from '../nodes.ts';

/** Labels of the nodes, and nothing of kubexm's left that lets others join. */
export const finishTask = defineTask({
  name: 'cluster/finish',
  description: 'Label the nodes; remove what let them join.',
  tags: ['finish'],
  steps: [nodeLabels, joinSecretsGone],
  plan: (context) => {
    const first = firstMaster(context);
    const labelled = nodesOf(context)
      .map((node) => [node.name, labelsOf(context, node)] as const)
      .filter(([, labels]) => Object.keys(labels).length > 0);
    const labels = labelled.length === 0 ? nothing() : on(first, nodeLabels({ nodes: Object.fromEntries(labelled) }));
    return { fragment: parallel(labels, on(first, joinSecretsGone({}))), outputs: undefined };
  },
});

function labelsOf(context: PlanContext, node: PlanHost): Readonly<Record<string, string>> {
  const roles = node.roles.includes('worker') ? { 'node-role.kubernetes.io/worker': '' } : {};
  return { ...roles, ...configOf(context, node).labels };
}
