import { on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { controlPlaneReady, daemonReady, deploymentServes, nodeReady } from '../../step/cluster.ts';
import { CONTROL_PLANE, firstMaster, nodesOf } from '../nodes.ts';

/** The cluster is well. Each node looks at itself: one that is lost holds nobody up, and is not called ready either. */
export const healthTask = defineTask({
  name: 'cluster/health',
  description:
    'Wait until every node is ready, with its network and its part of the control plane, and names are answered.',
  tags: ['health'],
  steps: [nodeReady, daemonReady, controlPlaneReady, deploymentServes],
  plan: (context) => {
    const nodes = nodesOf(context);
    const daemon = (name: string, namespace: string, selector: string) =>
      on(nodes, (host) => daemonReady({ node: host.name, namespace, selector }), { name });
    const { plugin } = context.cluster.spec.network;
    const network = plugin === 'flannel' ? [daemon('network', 'kube-flannel', 'app=flannel')] : [];
    const fragment = sequence(
      on(nodes, (host) => nodeReady({ node: host.name })),
      parallel(
        ...network,
        on(context.role('master'), (host) => controlPlaneReady({ node: host.name, components: CONTROL_PLANE }), {
          name: 'control-plane',
        }),
        daemon('proxy', 'kube-system', 'k8s-app=kube-proxy'),
        on(firstMaster(context), deploymentServes({ name: 'coredns', namespace: 'kube-system' }), { name: 'dns' }),
      ),
    );
    return { fragment, outputs: undefined };
  },
});
