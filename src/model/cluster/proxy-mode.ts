/** What kube-proxy tells the kernel with. */
export type ProxyMode = 'ipvs' | 'iptables' | 'nftables';
