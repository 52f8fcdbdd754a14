import { componentsOf } from '../../component/index.ts';
import type { Cluster } from '../../model/cluster/index.ts';
import type { ProxyMode } from '../kubeadm/proxy-mode.ts';
import type { Look } from './look.ts';

/** The kernel modules that a cluster cannot do without in a mode of kube-proxy, and what needs them. */
export function modulesToFind(cluster: Cluster, proxyMode: ProxyMode): Look['modules'] {
  const need = (purpose: string, ...names: readonly string[]) => names.map((name) => ({ name, purpose }));
  return [
    ...componentsOf(cluster).flatMap((component) => component.modules?.(cluster) ?? []),
    ...(proxyMode === 'ipvs' ? need('kube-proxy (ipvs)', 'ip_vs', 'ip_vs_rr', 'ip_vs_wrr', 'ip_vs_sh') : []),
    ...(proxyMode === 'nftables' ? need('kube-proxy (nftables)', 'nf_tables') : []),
  ];
}
