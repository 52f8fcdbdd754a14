import type { Cluster } from '../../model/cluster/index.ts';
import type { Look } from './look.ts';

/** The kernel modules that a cluster cannot do without, and what needs them. */
export function modulesToFind(cluster: Cluster): Look['modules'] {
  const { kubernetes, network } = cluster.spec;
  const need = (purpose: string, ...names: readonly string[]) => names.map((name) => ({ name, purpose }));
  const { plugin, flannel, calico } = network;
  const vxlan =
    plugin === 'flannel'
      ? (flannel?.backend ?? 'vxlan') === 'vxlan'
      : calico?.vxlanMode !== undefined && calico.vxlanMode !== 'Never';
  const ipip = plugin === 'calico' && (calico?.ipipMode ?? 'Always') !== 'Never';
  return [
    ...need(kubernetes.containerRuntime.type, 'overlay'),
    ...need('kube-proxy', 'br_netfilter'),
    ...(kubernetes.proxyMode === 'ipvs' ? need('kube-proxy (ipvs)', 'ip_vs', 'ip_vs_rr', 'ip_vs_wrr', 'ip_vs_sh') : []),
    ...(kubernetes.proxyMode === 'nftables' ? need('kube-proxy (nftables)', 'nf_tables') : []),
    ...(plugin !== 'cilium' && vxlan ? need(`${plugin} (vxlan)`, 'vxlan') : []),
    ...(plugin === 'flannel' && flannel?.backend === 'wireguard' ? need('flannel (wireguard)', 'wireguard') : []),
    ...(ipip ? need('calico (ipip)', 'ipip') : []),
  ];
}
