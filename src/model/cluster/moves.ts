import { RUNTIMES } from './container-runtime.ts';

/** A field that is accepted in another place than its canonical one. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

const runtimes = [...RUNTIMES, 'crio', 'isula'];

/** Places of seeds 002 and 003, in the order in which they are moved. `spec.loadBalancer.mode` only says which part holds. */
export const MOVES: readonly Move[] = [
  { from: 'spec.runtime', to: 'spec.kubernetes.containerRuntime' },
  { from: 'spec.kubernetes.runtime', to: 'spec.kubernetes.containerRuntime' },
  { from: 'spec.etcd.nodes', to: 'spec.roleGroups.etcd' },
  { from: 'spec.loadBalancer.vip', to: 'spec.controlPlaneEndpoint.lb_address' },
  { from: 'spec.loadBalancer.external.type', to: 'spec.controlPlaneEndpoint.externalLoadBalancer' },
  { from: 'spec.loadBalancer.internal.type', to: 'spec.controlPlaneEndpoint.internalLoadbalancer' },
  { from: 'spec.host', to: 'spec.extra.hosts' },
  // Mirrors may be named with the runtime or with the registry: one field.
  ...runtimes.flatMap((runtime) =>
    ['registryMirrors', 'insecureRegistries'].map((key) => ({
      from: `spec.kubernetes.containerRuntime.${runtime}.${key}`,
      to: `spec.registry.${key}`,
    })),
  ),
];
