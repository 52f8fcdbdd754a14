import { join } from 'node:path';
import { on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import { fetchKubeconfig, health, nodeLabels, nodesReady, rolledOut } from '../../step/cluster.ts';
import { configOf, endpointOf } from '../kubernetes/settings.ts';
import { firstMaster, nodesOf } from '../nodes.ts';

/** Labels of nodes, and the administrator's kubeconfig. */
export const finishTask = defineTask({
  name: 'cluster/finish',
  description: 'Label the nodes, fetch the kubeconfig.',
  tags: ['finish'],
  steps: [nodeLabels, fetchKubeconfig],
  plan: (context) => {
    const first = firstMaster(context);
    const labels = nodesOf(context)
      .map((node) => ({ node: node.name, labels: labelsOf(context, node) }))
      .filter((one) => Object.keys(one.labels).length > 0)
      .map((one) => on(first, nodeLabels(one), { name: `labels-${one.node}` }));
    const servers = { inside: `https://${endpointOf(context)}`, outside: reachableServer(context, first) };
    const to = join(context.workDir, 'kubeconfig');
    const fragment = parallel(...labels, on(first, fetchKubeconfig({ to, ...servers })));
    return { fragment, outputs: undefined };
  },
});

/** The cluster is well: every node ready, its network and names at work. */
export const healthTask = defineTask({
  name: 'cluster/health',
  description: 'Wait until every node is ready and the network and DNS run; tell how the cluster is.',
  tags: ['health'],
  steps: [nodesReady, rolledOut, health],
  plan: (context) => {
    const first = firstMaster(context);
    const { plugin } = context.cluster.spec.network;
    const network =
      plugin === 'flannel'
        ? [on(first, rolledOut({ what: 'daemonset/kube-flannel-ds', namespace: 'kube-flannel' }), { name: 'network' })]
        : [];
    const fragment = sequence(
      on(first, nodesReady({})),
      parallel(
        ...network,
        on(first, rolledOut({ what: 'daemonset/kube-proxy', namespace: 'kube-system' }), { name: 'proxy' }),
        on(first, rolledOut({ what: 'deployment/coredns', namespace: 'kube-system' }), { name: 'dns' }),
      ),
      on(first, health({})),
    );
    return { fragment, outputs: undefined };
  },
});

/** Where this machine finds the API: the load balancer's address or name, if it has one; else the first master itself. */
function reachableServer(context: PlanContext, first: PlanHost): string {
  const { address, externalDNS, domain, port } = context.cluster.spec.controlPlaneEndpoint;
  const balancer = address?.ipv4 ?? address?.ipv6 ?? (externalDNS ? domain : undefined);
  const host = balancer ?? configOf(context, first).address;
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function labelsOf(context: PlanContext, node: PlanHost): Readonly<Record<string, string>> {
  const roles = node.roles.includes('worker') ? { 'node-role.kubernetes.io/worker': '' } : {};
  return { ...roles, ...configOf(context, node).labels };
}
