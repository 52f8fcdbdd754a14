import type { Cluster, ClusterHost } from '../../model/cluster/index.ts';
import { parseIp } from '../../model/cluster/ip.ts';
import { hasLocalProxies, isProxied, loopbacksOf } from '../../model/cluster/places.ts';

type Names = Pick<Cluster['spec'], 'hosts' | 'roleGroups' | 'registry' | 'extra' | 'controlPlaneEndpoint'>;

/** The lines of /etc/hosts on a host: every host, the control plane, the registry that kubexm installs, `extra.hosts`. */
export function hostsLines(spec: Names, name: string): string {
  const lines = [
    ...spec.hosts.flatMap((host) => host.internal.list.map((address) => `${address} ${host.name}`)),
    ...endpointAddresses(spec, name).map((address) => `${address} ${spec.controlPlaneEndpoint.domain}`),
    ...registryLines(spec),
    ...spec.extra.hosts.map(({ address, domain }) => `${address} ${domain}`),
  ];
  return [...new Set(lines)].join('\n');
}

/** Where a host finds the control plane: at the load balancer's address, or on the first master where there is none. */
function endpointAddresses(spec: Names, name: string): readonly string[] {
  const { hosts, roleGroups, controlPlaneEndpoint } = spec;
  const { address, externalDNS } = controlPlaneEndpoint;
  if (hasLocalProxies(controlPlaneEndpoint)) return proxiedAddresses(spec, name);
  if (externalDNS) return [];
  const first = hosts.find((host) => host.name === roleGroups.master[0]);
  return (address ?? first?.internal)?.list ?? [];
}

/**
 * With a proxy on every worker: a worker's proxy or a master's own API server first, then all masters. Programs try the addresses of a
 * name in turn, the loopback and their own first, so a node can join before its proxy or API server runs.
 */
function proxiedAddresses({ hosts, roleGroups }: Names, name: string): readonly string[] {
  const own = hosts.find((host) => host.name === name);
  const first = own === undefined ? [] : ownAddresses(own);
  const masters = roleGroups.master.flatMap(
    (master) => hosts.find((host) => host.name === master)?.internal.list ?? [],
  );
  return [...new Set([...first, ...masters])];
}

function ownAddresses(host: ClusterHost): readonly string[] {
  if (isProxied(host)) return loopbacksOf(host.internal);
  return host.roles.includes('master') ? host.internal.list : [];
}

/** A registry of somebody else is found as everything else is: by DNS, or by `extra.hosts`. */
function registryLines({ hosts, roleGroups, registry }: Names): readonly string[] {
  const name = registry.privateRegistry?.replace(/:\d+$/, '') ?? '';
  const isName = name !== '' && !name.startsWith('[') && parseIp(name) === undefined;
  if (!isName || (registry.type !== 'registry' && registry.type !== 'harbor')) return [];
  const [first] = roleGroups.registry;
  const addresses = hosts.find((host) => host.name === first)?.internal.list ?? [];
  return addresses.map((address) => `${address} ${name}`);
}
