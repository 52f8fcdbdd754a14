import type { Cluster } from './cluster/index.ts';
import type { Effect } from './effect.ts';

type Network = Cluster['spec']['network'];

/** A daemon set, and by which label its pods are found. */
export interface Daemon {
  readonly namespace: string;
  readonly name: string;
  readonly selector: string;
}

/** What is known of a network plugin by all who wait for it, report it, look out for it, and take it away. */
interface NetworkPlugin {
  /** Kernel modules that it cannot do without, and for what. */
  readonly modules: (network: Network) => readonly { readonly name: string; readonly purpose: string }[];
  /** Where nodes reach each other, as people write it: `UDP 8472`. */
  readonly ports: (network: Network) => readonly string[];
  /** What there is of it in a cluster. A plugin that kubexm does not install yet has none: to ask for it is a defect. */
  readonly parts?: PluginParts;
}

/** What there is of a network plugin in a cluster. */
interface PluginParts {
  /** The daemon set whose pod gives a node its network: it is waited for and reported. */
  readonly daemon: Daemon & { readonly title: string };
  /** What it makes on every node, beside what all plugins do. */
  readonly effects: (network: Network) => readonly Effect[];
}

const NETWORK_PLUGINS: Readonly<Record<Network['plugin'], NetworkPlugin>> = {
  flannel: {
    modules: ({ flannel }) => {
      const backend = flannel?.backend ?? 'vxlan';
      return backend === 'vxlan' || backend === 'wireguard' ? [{ name: backend, purpose: `flannel (${backend})` }] : [];
    },
    ports: ({ flannel, kubePodsCIDR: { ipv4, ipv6 } }) => {
      const byBackend = {
        vxlan: ['UDP 8472'],
        'host-gw': [],
        wireguard: [...(ipv4 === undefined ? [] : ['UDP 51820']), ...(ipv6 === undefined ? [] : ['UDP 51821'])],
        udp: ['UDP 8285'],
      };
      return byBackend[flannel?.backend ?? 'vxlan'];
    },
    parts: {
      daemon: { title: 'flannel', namespace: 'kube-flannel', name: 'kube-flannel-ds', selector: 'app=flannel' },
      effects: ({ kubePodsCIDR: { ipv4, ipv6 } }) => [
        { type: 'links', prefix: 'flannel' },
        // host-gw and direct routing need no link.
        ...[ipv4, ipv6].flatMap((within) => (within === undefined ? [] : [{ type: 'routes', within } as const])),
        { type: 'iptables-chains', prefix: 'FLANNEL-' },
        { type: 'nft-tables', family: 'ip', prefix: 'flannel' },
        { type: 'nft-tables', family: 'ip6', prefix: 'flannel' },
        { type: 'path', path: '/run/flannel' },
        { type: 'path', path: '/opt/cni/bin/flannel' },
        { type: 'path', path: '/etc/cni/net.d/10-flannel.conflist' },
        // cbr0 is the name that flannel's manifest gives the network of pods.
        { type: 'path', path: '/var/lib/cni/flannel' },
        { type: 'path', path: '/var/lib/cni/networks/cbr0' },
        { type: 'paths', prefix: '/var/lib/cni/results/cbr0-' },
      ],
    },
  },
  calico: {
    modules: ({ calico }) => [
      ...(byVxlan(calico) ? [{ name: 'vxlan', purpose: 'calico (vxlan)' }] : []),
      ...((calico?.ipipMode ?? 'Always') === 'Never' ? [] : [{ name: 'ipip', purpose: 'calico (ipip)' }]),
    ],
    ports: ({ calico }) => ['TCP 179', ...(byVxlan(calico) ? ['UDP 4789'] : [])],
  },
  cilium: {
    modules: () => [],
    ports: () => ['UDP 8472', 'TCP 4240'],
  },
};

function byVxlan(calico: Network['calico']): boolean {
  return (calico?.vxlanMode ?? 'Never') !== 'Never';
}

/** The kernel modules that the cluster's network needs. */
export function networkModules(network: Network): ReturnType<NetworkPlugin['modules']> {
  return NETWORK_PLUGINS[network.plugin].modules(network);
}

/** Where nodes have to reach each other for the cluster's network, for people. */
export function networkPorts(network: Network): string {
  return NETWORK_PLUGINS[network.plugin].ports(network).join(', ') || '-';
}

/** What there is of the network plugin in a cluster of kubexm's. */
export function networkParts({ plugin }: Pick<Network, 'plugin'>): PluginParts {
  const { parts } = NETWORK_PLUGINS[plugin];
  if (parts === undefined)
    throw new TypeError(`nothing says what there is of ${plugin} in a cluster, nor what it leaves`);
  return parts;
}
