import type { Component } from '../model/catalog/schema.ts';
import { type Cluster, type ClusterHost, hostsOf, isNode } from '../model/cluster/cluster.ts';
import type { Wanted } from './choose.ts';

/** Files and images of a component by name, with the hosts that need them. */
export interface Request {
  readonly component: string;
  readonly wanted?: Wanted;
  readonly files: ReadonlyMap<string, readonly ClusterHost[]>;
  readonly images: ReadonlyMap<string, readonly ClusterHost[]>;
  /** Hosts that get its packages from their operating system. */
  readonly packages: readonly ClusterHost[];
}

type Hosts = readonly ClusterHost[];

/** One line of what a cluster needs. */
interface Line {
  readonly component: string;
  readonly hosts: Hosts;
  readonly files?: readonly string[];
  readonly images?: readonly string[];
  readonly packages?: true;
  readonly wanted?: Wanted | undefined;
}

/** With more nodes than this, calico's nodes ask typha, not the API server. */
const TYPHA_FROM = 50;

/** What a cluster asks of the catalog, component by component. */
export function requestsOf(cluster: Cluster): readonly Request[] {
  const lines = [
    ...kubernetes(cluster),
    ...etcd(cluster),
    ...runtime(cluster),
    ...dns(cluster),
    ...network(cluster),
    ...endpoint(cluster),
    ...registry(cluster),
    ...addons(cluster),
  ];
  return [...Map.groupBy(lines, (line) => line.component)].flatMap(([component, some]) => {
    const files = merged(cluster, some, (line) => line.files);
    const images = merged(cluster, some, (line) => line.images);
    const packages = inOrder(
      cluster,
      some.filter((line) => line.packages).flatMap((line) => line.hosts),
    );
    if (files.size + images.size + packages.length === 0) return [];
    const wanted = some.find((line) => line.wanted !== undefined)?.wanted;
    return [{ component, files, images, packages, ...(wanted === undefined ? {} : { wanted }) }];
  });
}

/** All of a component for all nodes. */
export function requestFor(cluster: Cluster, { component, files, images }: Component): Request {
  const hosts = nodesOf(cluster);
  const forAll = (parts: readonly { readonly name: string }[]) => new Map(parts.map(({ name }) => [name, hosts]));
  return { component, files: forAll(files), images: forAll(images), packages: [] };
}

function kubernetes(cluster: Cluster): Line[] {
  const component = 'kubernetes';
  const { type, version } = cluster.spec.kubernetes;
  const wanted = { version, field: 'spec.kubernetes.version' };
  const [nodes, masters] = [nodesOf(cluster), hostsOf(cluster, 'master')];
  const control = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
  if (type === 'kubexm') {
    return [
      { component, hosts: nodes, files: ['kubelet', 'kube-proxy', 'kubectl'], wanted },
      { component, hosts: masters, files: control },
    ];
  }
  return [
    { component, hosts: nodes, files: ['kubeadm', 'kubelet', 'kubectl'], images: ['kube-proxy'], wanted },
    { component, hosts: masters, images: control },
  ];
}

function etcd(cluster: Cluster): Line[] {
  const { type, version } = cluster.spec.etcd;
  if (type === 'external') return [];
  const wanted = version === undefined ? undefined : { version, field: 'spec.etcd.version' };
  return type === 'kubexm'
    ? [{ component: 'etcd', hosts: hostsOf(cluster, 'etcd'), files: ['etcd'], wanted }]
    : [{ component: 'etcd', hosts: hostsOf(cluster, 'master'), images: ['etcd'], wanted }];
}

function runtime(cluster: Cluster): Line[] {
  const { type, version } = cluster.spec.kubernetes.containerRuntime;
  const field = 'spec.kubernetes.containerRuntime.version';
  const wanted = version === undefined ? undefined : { version, field };
  const hosts = nodesOf(cluster);
  const all = ['cni-plugins', 'crictl'].map((component) => ({ component, hosts, files: [component] }));
  const pause: Line = { component: 'pause', hosts, images: ['pause'] };
  if (type === 'isulad') return [{ component: type, hosts, packages: true, wanted }, ...all, pause];
  const own: Line = { component: type, hosts, files: [type], wanted };
  const beside = { containerd: ['runc', 'nerdctl'], docker: ['cri-dockerd'], 'cri-o': [] }[type];
  return [own, ...beside.map((component) => ({ component, hosts, files: [component] })), ...all, pause];
}

function dns(cluster: Cluster): Line[] {
  const hosts = nodesOf(cluster);
  const cache: Line = { component: 'node-cache', hosts, images: ['node-cache'] };
  return [
    { component: 'coredns', hosts, images: ['coredns'] },
    ...(cluster.spec.dns.nodelocaldns.enabled ? [cache] : []),
  ];
}

function network(cluster: Cluster): Line[] {
  const { plugin } = cluster.spec.network;
  const hosts = nodesOf(cluster);
  const masters = hostsOf(cluster, 'master');
  const [first] = masters;
  const once = first === undefined ? [] : [first];
  if (plugin === 'flannel') {
    return [
      { component: plugin, hosts, images: ['flannel', 'flannel-cni-plugin'] },
      { component: plugin, hosts: once, files: ['kube-flannel'] },
    ];
  }
  if (plugin === 'cilium') {
    return [
      { component: plugin, hosts, images: ['cilium', 'cilium-envoy', 'operator-generic'] },
      { component: plugin, hosts: once, files: ['chart'] },
      { component: 'helm', hosts: once, files: ['helm'] },
    ];
  }
  const typha = hosts.length > TYPHA_FROM;
  return [
    { component: plugin, hosts, images: ['cni', 'kube-controllers', 'node', ...(typha ? ['typha'] : [])] },
    { component: plugin, hosts: once, files: ['crds', typha ? 'manifest-typha' : 'manifest'] },
    { component: plugin, hosts: masters, files: ['calicoctl'] },
  ];
}

function endpoint(cluster: Cluster): Line[] {
  const { externalLoadBalancer, internalLoadbalancer } = cluster.spec.controlPlaneEndpoint;
  const balancers = hostsOf(cluster, 'loadbalancer');
  const proxy = { 'kubexm-kh': 'haproxy', 'kubexm-kn': 'nginx', external: undefined, none: undefined };
  const outside = proxy[externalLoadBalancer];
  const lines: Line[] =
    outside === undefined
      ? []
      : ['keepalived', outside].map((component) => ({ component, hosts: balancers, packages: true }));
  if (internalLoadbalancer === 'none') return lines;
  if (internalLoadbalancer === 'kube-vip') {
    return [...lines, { component: 'kube-vip', hosts: hostsOf(cluster, 'master'), images: ['kube-vip'] }];
  }
  // Installed by kubeadm, the proxy is a static pod; from binaries it is a service of the operating system.
  const workers = hostsOf(cluster, 'worker');
  const component = internalLoadbalancer;
  return cluster.spec.kubernetes.type === 'kubeadm'
    ? [...lines, { component, hosts: workers, images: [component] }]
    : [...lines, { component, hosts: workers, packages: true }];
}

function registry(cluster: Cluster): Line[] {
  const { type, version, harborConfig } = cluster.spec.registry;
  const hosts = hostsOf(cluster, 'registry');
  if (type === 'registry') {
    const wanted = version === undefined ? undefined : { version, field: 'spec.registry.version' };
    return [{ component: 'registry', hosts, files: ['registry'], wanted }];
  }
  if (type !== 'harbor') return [];
  const wanted =
    harborConfig?.version !== undefined
      ? { version: harborConfig.version, field: 'spec.registry.harborConfig.version' }
      : version === undefined
        ? undefined
        : { version, field: 'spec.registry.version' };
  return [
    { component: 'harbor', hosts, files: ['harbor'], wanted },
    { component: 'docker', hosts, files: ['docker'] },
    { component: 'docker-compose', hosts, files: ['docker-compose'] },
  ];
}

function addons(cluster: Cluster): Line[] {
  const [first] = hostsOf(cluster, 'master');
  const once = first === undefined ? [] : [first];
  return cluster.spec.addons.flatMap((addon): Line[] => {
    if (addon.type === 'helm') return [{ component: 'helm', hosts: once, files: ['helm'] }];
    if (addon.type !== undefined) return [];
    if (addon.name === 'metrics-server') {
      return [
        { component: addon.name, hosts: nodesOf(cluster), images: [addon.name] },
        { component: addon.name, hosts: once, files: ['components'] },
      ];
    }
    if (addon.name === 'kube-bench') return [{ component: addon.name, hosts: nodesOf(cluster), files: [addon.name] }];
    return [];
  });
}

function nodesOf(cluster: Cluster): Hosts {
  return cluster.spec.hosts.filter(isNode);
}

function merged(cluster: Cluster, lines: readonly Line[], namesOf: (line: Line) => readonly string[] | undefined) {
  const hosts = new Map<string, ClusterHost[]>();
  for (const line of lines) {
    for (const name of namesOf(line) ?? []) hosts.set(name, [...(hosts.get(name) ?? []), ...line.hosts]);
  }
  const sorted = [...hosts].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    sorted.map(([name, some]) => [name, inOrder(cluster, some)] as const).filter(([, some]) => some.length > 0),
  );
}

function inOrder(cluster: Cluster, hosts: Hosts): Hosts {
  const wanted = new Set(hosts.map((host) => host.name));
  return cluster.spec.hosts.filter((host) => wanted.has(host.name));
}
