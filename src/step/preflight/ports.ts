import { componentsOf, type Port } from '../../component/index.ts';
import { shellSource } from '../../host/shell-source.ts';
import { isNode } from '../../model/cluster/cluster.ts';
import type { Cluster, ClusterHost } from '../../model/cluster/index.ts';
import { rawScript } from '../../model/script.ts';

/** The TCP ports of a host that other hosts connect to. */
export function servedPorts(cluster: Cluster, host: ClusterHost): readonly number[] {
  return tcpPorts(cluster, host, ({ from }) => from.length > 0);
}

/** All TCP ports that the cluster's programs listen on here. */
export function usedPorts(cluster: Cluster, host: ClusterHost): readonly number[] {
  return tcpPorts(cluster, host, () => true);
}

function tcpPorts(cluster: Cluster, host: ClusterHost, wanted: (port: Port) => boolean): readonly number[] {
  const ports = componentsOf(cluster).flatMap((component) => component.ports?.(cluster, host) ?? []);
  const used = ports.filter((port) => port.protocol === 'tcp' && wanted(port)).map(({ port }) => port);
  return [...new Set(used)].toSorted((a, b) => a - b);
}

/** A port of another host that this one has to reach. */
export interface Target {
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

/** Whom a host has to reach: both ways between masters and nodes. Never all with all, which thousands would not survive. */
export function targetsIn(cluster: Cluster): (from: ClusterHost) => readonly Target[] {
  const served = servedIn(cluster);
  return (host) => {
    const [node, master, member] = [isNode(host), host.roles.includes('master'), host.roles.includes('etcd')];
    const connects = (from: Port['from']) =>
      (node && from.includes('nodes')) || (master && from.includes('masters')) || (member && from.includes('etcd'));
    return served
      .filter(({ from }) => connects(from))
      .flatMap(({ targets }) => targets.filter((target) => target.host !== host.name));
  };
}

/** Every port that other hosts connect to: who does, and where it is. */
function servedIn(cluster: Cluster) {
  const found = new Map<string, { readonly from: Port['from']; readonly targets: Target[] }>();
  for (const component of componentsOf(cluster)) {
    for (const host of cluster.spec.hosts) {
      const [address] = host.internal.list;
      if (address === undefined) continue;
      for (const { protocol, port, from } of component.ports?.(cluster, host) ?? []) {
        if (protocol !== 'tcp' || from.length === 0) continue;
        const key = `${component.name} ${port}`;
        const known = found.get(key) ?? { from, targets: [] };
        known.targets.push({ host: host.name, address, port });
        found.set(key, known);
      }
    }
  }
  return [...found.values()];
}

/** `kxp_listening` PORT…: those of the ports that somebody listens on, each with the socket's inode. */
export const LISTENING = rawScript(shellSource(new URL('./ports.sh', import.meta.url)));
