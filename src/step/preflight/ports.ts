import { posix } from '../../host/lib/text.ts';
import { isNode } from '../../model/cluster/cluster.ts';
import type { Cluster, ClusterHost } from '../../model/cluster/index.ts';
import { apiServerPort } from '../../model/cluster/places.ts';
import { rawScript } from '../../model/script.ts';

const KUBELET = 10250;
const ETCD_CLIENT = 2379;
const ETCD_PEER = 2380;
/** Beside the first three: controller manager, scheduler, and the health and metrics of kubelet and kube-proxy. */
const MASTER = [10257, 10259];
const NODE = [10248, 10249, 10256];

/** The ports of a host that other hosts connect to. */
export function servedPorts(cluster: Cluster, host: ClusterHost): readonly number[] {
  return [
    ...(host.roles.includes('master') ? [apiServerPort(cluster)] : []),
    ...(host.roles.includes('etcd') ? [ETCD_CLIENT, ETCD_PEER] : []),
    ...(isNode(host) ? [KUBELET] : []),
  ];
}

/** All ports that the cluster's programs listen on here. */
export function usedPorts(cluster: Cluster, host: ClusterHost): readonly number[] {
  const { externalLoadBalancer, port } = cluster.spec.controlPlaneEndpoint;
  const balances = host.roles.includes('loadbalancer') && externalLoadBalancer !== 'external';
  return [
    ...servedPorts(cluster, host),
    ...(host.roles.includes('master') ? MASTER : []),
    ...(isNode(host) ? NODE : []),
    ...(balances ? [port] : []),
  ].toSorted((a, b) => a - b);
}

/** A port of another host that this one has to reach. */
export interface Target {
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

/** Whom a host has to reach: both ways between masters and nodes. Never all with all, which thousands would not survive. */
export function targetsIn(cluster: Cluster): (from: ClusterHost) => readonly Target[] {
  const { hosts } = cluster.spec;
  const masters = hosts.filter((host) => host.roles.includes('master'));
  const members = hosts.filter((host) => host.roles.includes('etcd'));
  const nodes = hosts.filter(isNode);
  return (from) => {
    const to = (some: readonly ClusterHost[], port: number) =>
      some.flatMap((host): readonly Target[] => {
        const [address] = host.internal.list;
        return host.name === from.name || address === undefined ? [] : [{ host: host.name, address, port }];
      });
    const isMaster = from.roles.includes('master');
    const isMember = from.roles.includes('etcd');
    return [
      ...(isNode(from) ? to(masters, apiServerPort(cluster)) : []),
      ...(isMaster ? to(nodes, KUBELET) : []),
      ...(isMaster || isMember ? to(members, ETCD_CLIENT) : []),
      ...(isMember ? to(members, ETCD_PEER) : []),
    ];
  };
}

/**
 * kxp_listening PORT…: those of the ports that somebody listens on, each with the socket's inode. From /proc: not every
 * system has ss, and none is without this.
 */
export const LISTENING = rawScript(posix`kxp_listening() {
  kxp_wanted=" $* "
  for kxp_file in /proc/net/tcp /proc/net/tcp6; do
    [ -r "$kxp_file" ] || continue
    while read -r kxp_x kxp_local kxp_x kxp_state kxp_x kxp_x kxp_x kxp_x kxp_x kxp_inode kxp_x; do
      [ "$kxp_state" = 0A ] || continue
      kxp_port=$((0x\${kxp_local##*:}))
      case $kxp_wanted in *" $kxp_port "*) echo "$kxp_port $kxp_inode" ;; esac
    done <"$kxp_file"
  done
}`);
