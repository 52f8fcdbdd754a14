import type { Cluster } from '../../model/cluster/index.ts';
import { parseIp } from '../../model/cluster/ip.ts';

type Names = Pick<Cluster['spec'], 'hosts' | 'roleGroups' | 'registry' | 'extra' | 'controlPlaneEndpoint'>;

/** The lines of /etc/hosts that all machines share: every host, the control plane, the registry that kubexm installs, `extra.hosts`. */
export function hostsLines(spec: Names): string {
  const lines = [
    ...spec.hosts.flatMap((host) => host.internal.list.map((address) => `${address} ${host.name}`)),
    ...endpointLines(spec),
    ...registryLines(spec),
    ...spec.extra.hosts.map(({ address, domain }) => `${address} ${domain}`),
  ];
  return [...new Set(lines)].join('\n');
}

/** The name of the control plane: the load balancer's address, or the first master where there is none. */
function endpointLines({ hosts, roleGroups, controlPlaneEndpoint }: Names): readonly string[] {
  const { domain, address, externalDNS } = controlPlaneEndpoint;
  if (externalDNS) return [];
  const first = hosts.find((host) => host.name === roleGroups.master[0]);
  return (address ?? first?.internal)?.list.map((one) => `${one} ${domain}`) ?? [];
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
