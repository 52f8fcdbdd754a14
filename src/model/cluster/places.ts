import type { Cluster } from './cluster.ts';

/** Where a kubelet has its directories by default, and where kubeadm always puts its configuration. */
export const KUBELET_DIR = '/var/lib/kubelet';

/** Where API servers listen behind a load balancer of kubexm's own. */
const BEHIND_BALANCER = 6443;

/**
 * Where API servers listen: at the port of the control plane, also behind a load balancer of the user's. One that kubexm sets up
 * has that port itself, perhaps on the same machine.
 */
export function apiServerPort({ spec }: Cluster): number {
  const { externalLoadBalancer, internalLoadbalancer, port } = spec.controlPlaneEndpoint;
  const outside = externalLoadBalancer.startsWith('kubexm');
  const inside = internalLoadbalancer === 'haproxy' || internalLoadbalancer === 'nginx';
  return outside || inside ? BEHIND_BALANCER : port;
}
