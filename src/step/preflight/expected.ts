import { type DataPlaces, placesOf } from '../../component/places.ts';
import type { Cluster } from '../../model/cluster/index.ts';
import { LIMITS } from './limits.ts';

/** What the configuration asks of a machine of some roles. A type, so that it is Json too. */
export type Expected = {
  readonly roles: readonly string[];
  readonly kubernetes: string;
  readonly proxyMode: string;
  /** kubexm sets the clock. */
  readonly setsClock: boolean;
  readonly networks: readonly { readonly field: string; readonly cidr: string }[];
  /** Where the host will have its data, as far as it will have any. */
  readonly places: Partial<DataPlaces>;
  /** How much of a disk must be free, in percent. */
  readonly freePercent: { readonly node: number; readonly images: number };
};

/** What the configuration says of one host. */
export type ExpectedHost = {
  readonly name: string;
  readonly internal: readonly string[];
  readonly arch?: string;
};

/** What is asked of hosts, by their roles; those of the same roles share it. */
export function expectedOf(cluster: Cluster): (roles: readonly string[]) => Expected {
  const { kubernetes, network, system } = cluster.spec;
  const known = new Map<string, Expected>();
  return (roles) => {
    const expected = known.get(roles.join()) ?? {
      roles,
      kubernetes: kubernetes.version,
      proxyMode: kubernetes.proxyMode,
      setsClock: system.ntpServers.length > 0,
      networks: [
        ...network.kubePodsCIDR.list.map((cidr) => ({ field: 'kubePodsCIDR', cidr })),
        ...network.kubeServiceCIDR.list.map((cidr) => ({ field: 'kubeServiceCIDR', cidr })),
      ],
      places: placesFor(cluster, roles),
      freePercent: thresholds(kubernetes.kubeletConfiguration),
    };
    known.set(roles.join(), expected);
    return expected;
  };
}

/** The places that a host of some roles has. */
function placesFor(cluster: Cluster, roles: readonly string[]): Partial<DataPlaces> {
  const { etcdDir, kubeletDir, imageDir } = placesOf(cluster);
  const node = roles.includes('master') || roles.includes('worker');
  const member = roles.includes('etcd') && cluster.spec.etcd.type !== 'external';
  return { ...(node ? { kubeletDir, imageDir } : {}), ...(member ? { etcdDir } : {}) };
}

/** What the configuration says of these hosts. */
export function expectedHosts(cluster: Cluster, hosts: readonly { readonly name: string }[]): readonly ExpectedHost[] {
  const names = new Set(hosts.map(({ name }) => name));
  return cluster.spec.hosts
    .filter(({ name }) => names.has(name))
    .map(({ name, internal, arch }) => ({ name, internal: internal.list, ...(arch === undefined ? {} : { arch }) }));
}

/** The kubelet's thresholds in percent. Where some are configured it has no others; one in bytes is not judged here. */
function thresholds({ evictionHard }: { readonly evictionHard?: unknown }): Expected['freePercent'] {
  if (typeof evictionHard !== 'object' || evictionHard === null)
    return { node: LIMITS.nodeDiskPercent, images: LIMITS.imageDiskPercent };
  const percent = (signal: string) => {
    const text = String((evictionHard as Readonly<Record<string, unknown>>)[signal] ?? '');
    return text.endsWith('%') ? Number.parseFloat(text) : 0;
  };
  return { node: percent('nodefs.available'), images: percent('imagefs.available') };
}
