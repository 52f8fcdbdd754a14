import { networkParts } from '../../model/network-plugin.ts';
import { on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { member } from '../../plan/ref.ts';
import { controlPlaneReady, daemonReady, daemonRevision, deploymentServes, nodeReady } from '../../step/cluster.ts';
import { CONTROL_PLANE, firstMaster, nodesOf } from '../nodes.ts';

const PROXY = { namespace: 'kube-system', name: 'kube-proxy', selector: 'k8s-app=kube-proxy' };

/** The cluster is well. Each node looks at itself: one that is lost holds nobody up, and is not called ready either. */
export const healthTask = defineTask({
  name: 'cluster/health',
  description:
    'Wait until every node is ready, with its network and its part of the control plane, and names are answered.',
  tags: ['health'],
  steps: [nodeReady, daemonRevision, daemonReady, controlPlaneReady, deploymentServes],
  plan: (context) => {
    const nodes = nodesOf(context);
    const first = firstMaster(context);
    const { daemon } = networkParts(context.cluster.spec.network);
    const revision = on(first, daemonRevision(daemon));
    const current = member(revision.ref(), 'stdout');
    const fragment = sequence(
      // Beside what takes longer: nobody waits for it when a cluster is new.
      parallel(
        on(nodes, (host) => nodeReady({ node: host.name })),
        revision,
      ),
      parallel(
        on(nodes, (host) => daemonReady({ ...daemon, node: host.name, revision: current }), { name: 'network' }),
        on(context.role('master'), (host) => controlPlaneReady({ node: host.name, components: CONTROL_PLANE }), {
          name: 'control-plane',
        }),
        on(nodes, (host) => daemonReady({ ...PROXY, node: host.name }), { name: 'proxy' }),
        on(first, deploymentServes({ name: 'coredns', namespace: 'kube-system' }), { name: 'dns' }),
      ),
    );
    return { fragment, outputs: undefined };
  },
});
