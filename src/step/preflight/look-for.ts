import { placesOf } from '../../component/places.ts';
import type { Cluster } from '../../model/cluster/index.ts';
import type { ProxyMode } from '../../model/cluster/proxy-mode.ts';
import type { Look } from './look.ts';
import { modulesToFind } from './modules.ts';
import { usedPorts } from './ports.ts';

/** What is looked for on a host, by its name, if kube-proxy works in that mode. Hosts of the same roles share it. */
export function lookFor(cluster: Cluster, proxyMode: ProxyMode): (name: string) => Look {
  const { controlPlaneEndpoint, extra, etcd, kubernetes } = cluster.spec;
  const { etcdDir } = placesOf(cluster);
  const modules = modulesToFind(cluster, proxyMode);
  const byRoles = new Map<string, Look>();
  const byName = new Map(
    cluster.spec.hosts.map((host) => {
      const key = host.roles.join();
      const want = byRoles.get(key) ?? {
        cluster: cluster.metadata.name,
        ports: usedPorts(cluster, host),
        modules,
        runtime: kubernetes.containerRuntime.type,
        ...(host.roles.includes('etcd') && etcd.type !== 'external' ? { etcdDir } : {}),
        ...(controlPlaneEndpoint.externalDNS ? { domain: controlPlaneEndpoint.domain } : {}),
        resolves: extra.resolves.length > 0,
      };
      byRoles.set(key, want);
      return [host.name, want] as const;
    }),
  );
  // One host asks for all, the first that the cluster has: a node that comes later finds the virtual IP at work.
  const [first] = cluster.spec.roleGroups.master;
  return (name) => {
    const want = byName.get(name);
    if (!want) throw new TypeError(`${name} is not in the configuration`);
    return name === first ? { ...want, ...virtualIpOf(cluster) } : want;
  };
}

/** The virtual IP that kubexm gives to one of the hosts, if there is one. */
function virtualIpOf({ spec }: Cluster): Pick<Look, 'free'> {
  const { address, port, externalLoadBalancer, internalLoadbalancer } = spec.controlPlaneEndpoint;
  const isOwn = externalLoadBalancer.startsWith('kubexm') || internalLoadbalancer === 'kube-vip';
  return isOwn && address !== undefined ? { free: { addresses: address.list, port } } : {};
}
