import { join } from 'node:path';
import { on } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import { fetchKubeconfig } from '../../step/cluster.ts';
import { configOf, endpointOf } from '../kubernetes/settings.ts';
import { firstMaster } from '../nodes.ts';

/** The administrator's kubeconfig, as soon as there is one: who looks into a cluster that does not come up needs it most. */
export const kubeconfigTask = defineTask({
  name: 'cluster/kubeconfig',
  description: 'Fetch the kubeconfig.',
  tags: ['finish', 'kubeconfig'],
  steps: [fetchKubeconfig],
  plan: (context) => {
    const first = firstMaster(context);
    const servers = { inside: `https://${endpointOf(context)}`, outside: reachableServer(context, first) };
    const to = join(context.workDir, 'kubeconfig');
    return { fragment: on(first, fetchKubeconfig({ to, ...servers })), outputs: undefined };
  },
});

/** Where this machine finds the API: the load balancer's address or name, if it has one; else the first master itself. */
function reachableServer(context: PlanContext, first: PlanHost): string {
  const { address, externalDNS, domain, port } = context.cluster.spec.controlPlaneEndpoint;
  const balancer = address?.ipv4 ?? address?.ipv6 ?? (externalDNS ? domain : undefined);
  const host = balancer ?? configOf(context, first).address;
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
