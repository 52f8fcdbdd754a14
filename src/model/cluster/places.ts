import type { Cluster } from './cluster.ts';
import type { DualStack } from './ip.ts';

/** Where a kubelet has its directories unless it is told otherwise, and where kubeadm always puts its configuration. */
export const KUBELET_DIR = '/var/lib/kubelet';

/** Where API servers listen behind load balancers of kubexm's own. */
const BEHIND_BALANCER = 6443;

/**
 * Where API servers listen: at the port of the control plane, unless load balancers of kubexm's own have it, perhaps on the same
 * machine. A proxy on a worker has no API server beside it, and masters reach their own one at that port.
 */
export function apiServerPort({ spec }: Cluster): number {
  const { externalLoadBalancer, port } = spec.controlPlaneEndpoint;
  return externalLoadBalancer.startsWith('kubexm') ? BEHIND_BALANCER : port;
}

/** Whether every worker has a proxy of its own in front of the API servers. */
export function hasLocalProxies({ internalLoadbalancer }: Cluster['spec']['controlPlaneEndpoint']): boolean {
  return internalLoadbalancer === 'haproxy' || internalLoadbalancer === 'nginx';
}

/** Whether a host has such a proxy: a master has an API server of its own. */
export function isProxied({ roles }: { readonly roles: readonly string[] }): boolean {
  return roles.includes('worker') && !roles.includes('master');
}

/** The loopback addresses of the families that a host has. */
export function loopbacksOf({ ipv4, ipv6 }: DualStack): readonly string[] {
  return [...(ipv4 === undefined ? [] : ['127.0.0.1']), ...(ipv6 === undefined ? [] : ['::1'])];
}
