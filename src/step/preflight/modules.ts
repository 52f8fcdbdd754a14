import { componentsOf } from '../../component/index.ts';
import type { Cluster } from '../../model/cluster/index.ts';
import type { ProxyMode } from '../../model/cluster/proxy-mode.ts';
import type { Look } from './look.ts';

/** The kernel modules that a cluster cannot do without in a mode of kube-proxy, and what needs them. */
export function modulesToFind(cluster: Cluster, proxyMode: ProxyMode): Look['modules'] {
  return componentsOf(cluster).flatMap((component) => component.modules?.(cluster, proxyMode) ?? []);
}
