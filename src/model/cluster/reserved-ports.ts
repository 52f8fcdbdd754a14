import { type Cluster, isNode, SSH_DEFAULTS } from './cluster.ts';

/** Ports of TCP that something on every node listens on. The words are names of programs: the same in every language. */
const ON_NODES: ReadonlyMap<number, string> = new Map([
  [2379, 'etcd'],
  [2380, 'etcd'],
  [2381, 'etcd'],
  [10_248, 'kubelet'],
  [10_249, 'kube-proxy'],
  [10_250, 'kubelet'],
  [10_256, 'kube-proxy'],
  [10_257, 'kube-controller-manager'],
  [10_259, 'kube-scheduler'],
]);

/** Ports of the network plugins. */
const ON_NODES_WITH: Readonly<Record<string, ReadonlyMap<number, string>>> = {
  calico: new Map([
    [179, 'calico (BGP)'],
    [5473, 'calico-typha'],
    [9099, 'calico-felix'],
  ]),
  cilium: new Map([
    [4240, 'cilium-health'],
    [4244, 'hubble'],
    [9879, 'cilium-agent'],
  ]),
};

const DNS = 53;
const NODE_PORTS = { first: 30_000, last: 32_767 };

/** What already listens on a port where the control plane is to be reached, if anything does. */
export function portOwner(cluster: Cluster, port: number): string | undefined {
  const { hosts, network, controlPlaneEndpoint } = cluster.spec;
  const own = controlPlaneEndpoint.externalLoadBalancer.startsWith('kubexm');
  const role = own ? 'loadbalancer' : 'master';
  const listening = hosts.filter((host) => host.roles.includes(role) || (!own && host.roles.includes('worker')));
  if (port === DNS) return 'DNS';
  if (listening.some((host) => (host.ssh.port ?? SSH_DEFAULTS.port) === port)) return 'sshd';
  // Balancers on machines of their own share no port with a node.
  if (own && !listening.some(isNode)) return undefined;
  return nodePortOwner(cluster, port) ?? ON_NODES.get(port) ?? ON_NODES_WITH[network.plugin]?.get(port);
}

function nodePortOwner({ spec }: Cluster, port: number): string | undefined {
  const flag = spec.kubernetes.apiserverArgs.findLast((one) => one.startsWith('--service-node-port-range='));
  const [, first, last] = /=(\d+)-(\d+)$/.exec(flag ?? '') ?? [];
  const range = first === undefined ? NODE_PORTS : { first: Number(first), last: Number(last) };
  return port >= range.first && port <= range.last ? `NodePort ${range.first}-${range.last}` : undefined;
}
