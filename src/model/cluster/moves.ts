import { RUNTIMES } from './container-runtime.ts';

/** A field that is accepted in another place than its canonical one. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** Places of seed 003 and 002, moved before keys are renamed. `spec.loadBalancer.mode` only says which part holds. */
export const EARLY_MOVES: readonly Move[] = [
  { from: 'spec.runtime', to: 'spec.kubernetes.containerRuntime' },
  { from: 'spec.etcd.nodes', to: 'spec.roleGroups.etcd' },
  { from: 'spec.loadBalancer.vip', to: 'spec.controlPlaneEndpoint.lb_address' },
  { from: 'spec.loadBalancer.external.type', to: 'spec.controlPlaneEndpoint.externalLoadBalancer' },
  { from: 'spec.loadBalancer.internal.type', to: 'spec.controlPlaneEndpoint.internalLoadbalancer' },
  { from: 'spec.host', to: 'spec.extra.hosts' },
];

/** Mirrors may be named with the runtime or with the registry: one field. Moved after keys are renamed. */
export const LATE_MOVES: readonly Move[] = RUNTIMES.flatMap((runtime) =>
  ['registryMirrors', 'insecureRegistries'].map((key) => ({
    from: `spec.kubernetes.containerRuntime.${runtime}.${key}`,
    to: `spec.registry.${key}`,
  })),
);
