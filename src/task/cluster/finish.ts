import { nothing, on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import { member } from '../../plan/ref.ts';
import { askHealth, joinSecretsGone, nodeLabels, tellHealth } from '../../step/cluster.ts';
import { configOf } from '../kubernetes/settings.ts';
import { firstMaster, nodesOf } from '../nodes.ts';

const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd'];
const ADD_ONS = [
  { title: 'kube-proxy', namespace: 'kube-system', name: 'kube-proxy' },
  { title: 'CoreDNS', namespace: 'kube-system', name: 'coredns' },
];
const FLANNEL = { title: 'flannel', namespace: 'kube-flannel', name: 'kube-flannel-ds' };

/** Labels of the nodes, nothing left that lets others join, and the last look at all of it. */
export const finishTask = defineTask({
  name: 'cluster/finish',
  description: 'Label the nodes; remove what let them join; tell how the cluster is.',
  tags: ['finish'],
  steps: [nodeLabels, joinSecretsGone, askHealth, tellHealth],
  plan: (context) => {
    const first = firstMaster(context);
    const labelled = nodesOf(context)
      .map((node) => [node.name, labelsOf(context, node)] as const)
      .filter(([, labels]) => Object.keys(labels).length > 0);
    const labels = labelled.length === 0 ? nothing() : on(first, nodeLabels({ nodes: Object.fromEntries(labelled) }));
    const asked = on(first, askHealth({}));
    const told = on(
      context.local,
      tellHealth({
        cluster: context.cluster.metadata.name,
        nodes: nodesOf(context).map(({ name, roles }) => ({ name, roles })),
        controlPlane: CONTROL_PLANE,
        addOns: context.cluster.spec.network.plugin === 'flannel' ? [...ADD_ONS, FLANNEL] : ADD_ONS,
        said: member(asked.ref(), 'stdout'),
      }),
    );
    const fragment = sequence(parallel(labels, on(first, joinSecretsGone({}))), asked, told);
    return { fragment, outputs: undefined };
  },
});

function labelsOf(context: PlanContext, node: PlanHost): Readonly<Record<string, string>> {
  const roles = node.roles.includes('worker') ? { 'node-role.kubernetes.io/worker': '' } : {};
  return { ...roles, ...configOf(context, node).labels };
}
