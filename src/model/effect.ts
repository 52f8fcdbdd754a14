/**
 * Something that others make on a machine because of what kubexm did there: kubelet, CNI plugins, kube-proxy, etcd. The
 * manifest notes which of them were there before; `reset` removes the others. A `prefix` means all whose names begin with it.
 */
export type Effect =
  /** A file, link or directory with all that is in it. Of a directory that was there before, what was not in it. */
  | { readonly type: 'path'; readonly path: string }
  /** All paths that begin so, with what is mounted there: in a directory that may be anybody's, where names tell whose they are. */
  | { readonly type: 'paths'; readonly prefix: string }
  /** A directory and those above it. Of those that were not there before, the ones go in which nothing is left. */
  | { readonly type: 'directory'; readonly path: string }
  /** Permissions and owner of a directory that was there before. */
  | { readonly type: 'mode'; readonly path: string }
  /** Everything mounted at or below a path. */
  | { readonly type: 'mounts'; readonly below: string }
  /** Network links: `cni0`. */
  | { readonly type: 'links'; readonly prefix: string }
  /** Ends of pairs at a bridge, as pods have them: elsewhere they may be anybody's. */
  | { readonly type: 'ports'; readonly bridge: string; readonly prefix: string }
  /** An address that moves between machines, on whatever link: a virtual IP. */
  | { readonly type: 'address'; readonly address: string }
  /** Routes to a network or to parts of it, by whatever link. */
  | { readonly type: 'routes'; readonly within: string }
  /** Network namespaces of pods: of a network of CNI, and of the namespace k8s.io of containerd. Those of other containers stay. */
  | { readonly type: 'namespaces'; readonly network: string }
  | { readonly type: 'nft-tables'; readonly family: string; readonly prefix: string }
  /** A table that everybody shares: `nat`. It goes when nothing is left in it but empty chains of hooks that accept all. */
  | { readonly type: 'shared-table'; readonly family: string; readonly name: string }
  /** Chains of all tables, IPv4 and IPv6, with the rules that jump to them. */
  | { readonly type: 'iptables-chains'; readonly prefix: string }
  /** Chains that CNI plugins make for a network. Those that all networks share go when no other network is left in them. */
  | { readonly type: 'cni-chains'; readonly network: string }
  | { readonly type: 'ipsets'; readonly prefix: string }
  /** Virtual servers of IPVS whose addresses are on a link, and those at node ports. Others stay. */
  | { readonly type: 'virtual-servers'; readonly link: string }
  | { readonly type: 'user'; readonly name: string }
  | { readonly type: 'group'; readonly name: string }
  /** Control groups, with everything that runs in them: `kubepods.slice`. */
  | { readonly type: 'cgroups'; readonly prefix: string }
  /** Units that programs make by themselves: the slices of pods. */
  | { readonly type: 'units'; readonly prefix: string }
  /** The value of a kernel setting, as `net/netfilter/nf_conntrack_max`. */
  | { readonly type: 'sysctl'; readonly key: string };
