/** What a host does in the cluster. */
export const ROLES = ['etcd', 'master', 'worker', 'registry', 'loadbalancer'] as const;

/** Other spellings of the roles. */
export const ROLE_ALIASES = {
  master: ['control-plane', 'controlplane', 'controlPlane', 'control_plane', 'masters'],
  worker: ['workers'],
  loadbalancer: ['loadBalancer', 'load-balancer', 'load_balancer', 'loadbalancers'],
} as const;

/** Words that mean the hosts of a role wherever hosts are chosen. */
export const ROLE_WORDS: ReadonlySet<string> = new Set([...ROLES, ...Object.values(ROLE_ALIASES).flat()]);
