import { join } from 'node:path';
import { KUBECONFIG } from '../../model/kubeconfig.ts';
import { marked, on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import { member } from '../../plan/ref.ts';
import { fetchKubeconfig, homeOfUser, kubeDirectory, tellLeftAlone, userKubeconfig } from '../../step/cluster/index.ts';
import { configOf, endpointOf } from '../kubernetes/settings.ts';
import { healthyMaster, targetMasters } from '../nodes.ts';

/** The administrator's kubeconfig, as soon as there is one: who looks into a cluster that does not come up needs it most. */
export const kubeconfigTask = defineTask({
  name: 'cluster/kubeconfig',
  description: 'Fetch the kubeconfig; let kubectl work on the masters.',
  tags: ['finish', 'kubeconfig'],
  steps: [fetchKubeconfig, homeOfUser, kubeDirectory, userKubeconfig, tellLeftAlone],
  plan: (context) => {
    const first = healthyMaster(context);
    const servers = { inside: `https://${endpointOf(context)}`, outside: reachableServer(context, first) };
    const to = join(context.workDir, KUBECONFIG);
    const masters = targetMasters(context);
    const others = masters.filter(({ facts }) => facts.user !== 'root');
    const homes = sequence(
      kubectlFor(masters, 'root', () => 'root'),
      kubectlFor(others, 'user', ({ facts }) => facts.user),
    );
    return parallel(marked('kubeconfig-fetched', on(first, fetchKubeconfig({ to, ...servers }))), homes);
  },
});

/** kubectl as people expect it on a master: for root, and for the user who logs in. */
function kubectlFor(hosts: readonly PlanHost[], name: string, userOf: (host: PlanHost) => string): ExecutionFragment {
  const home = on(hosts, (host) => homeOfUser({ user: userOf(host) }), { name: `home-${name}` });
  const dir = member(home.ref(), 'stdout');
  const made = on(hosts, (host) => userKubeconfig({ dir, user: userOf(host) }), { name: `kubeconfig-${name}` });
  return sequence(
    home,
    on(hosts, (host) => kubeDirectory({ dir, user: userOf(host) }), { name: `directory-${name}` }),
    made,
    on(hosts, tellLeftAlone({ left: member(made.ref(), 'left') }), { name: `left-${name}` }),
  );
}

/** Where this machine finds the API: the load balancer's address or name, if it has one; else the first master itself. */
function reachableServer(context: PlanContext, first: PlanHost): string {
  const { address, externalDNS, domain, port } = context.cluster.spec.controlPlaneEndpoint;
  const balancer = address?.ipv4 ?? address?.ipv6 ?? (externalDNS ? domain : undefined);
  const host = balancer ?? configOf(context, first).address;
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
