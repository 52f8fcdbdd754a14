import type { Runtime } from '../model/cluster/container-runtime.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { helm, kubeBench, metricsServer } from './addons.ts';
import { calico } from './calico.ts';
import { cilium } from './cilium.ts';
import { containerd } from './containerd.ts';
import { crio } from './cri-o.ts';
import type { Component, ComponentKind, RuntimeComponent } from './description.ts';
import { coredns, nodelocaldns } from './dns.ts';
import { docker } from './docker.ts';
import { etcd, externalEtcd, stackedEtcd } from './etcd.ts';
import { flannel } from './flannel.ts';
import { nodesIn } from './hosts.ts';
import { isulad } from './isulad.ts';
import { binaryKubernetes, kubeadm, kubeProxy } from './kubernetes.ts';
import { haproxy, keepalived, kubeVip, nginx, ownBalancer } from './load-balancers.ts';
import { harbor, registry } from './registries.ts';

export type {
  CatalogLine,
  Component,
  ComponentKind,
  ImageCommands,
  Port,
  RuntimeComponent,
  Workload,
} from './description.ts';
export { nodesIn } from './hosts.ts';
export { CONTROL_PLANE } from './kubernetes.ts';

/** The container runtimes, by the name that the configuration has for them. */
export const RUNTIME_COMPONENTS: Readonly<Record<Runtime, RuntimeComponent>> = {
  containerd,
  docker,
  'cri-o': crio,
  isulad,
};

/** Every component. */
export const COMPONENTS: readonly Component[] = [
  kubeadm,
  binaryKubernetes,
  stackedEtcd,
  etcd,
  externalEtcd,
  ...Object.values(RUNTIME_COMPONENTS),
  kubeProxy,
  coredns,
  nodelocaldns,
  flannel,
  calico,
  cilium,
  keepalived,
  haproxy,
  nginx,
  kubeVip,
  ownBalancer,
  registry,
  harbor,
  helm,
  metricsServer,
  kubeBench,
];

/** The components of a cluster. */
export function componentsOf(cluster: Cluster): readonly Component[] {
  return COMPONENTS.filter((component) => component.isUsed(cluster));
}

/** The container runtime of a cluster. */
export function runtimeOf({ spec }: Cluster): RuntimeComponent {
  return RUNTIME_COMPONENTS[spec.kubernetes.containerRuntime.type];
}

/** Where nodes have to reach each other for the cluster's network, for people: `UDP 8472`. */
export function networkPorts(cluster: Cluster): string {
  const [node] = nodesIn(cluster);
  const plugins = componentsOf(cluster).filter(({ kind }) => kind === 'network');
  const ports = plugins.flatMap((plugin) => (node === undefined ? [] : (plugin.ports?.(cluster, node) ?? [])));
  return ports.map(({ protocol, port }) => `${protocol.toUpperCase()} ${port}`).join(', ') || '-';
}

/** The components of a kind that `create cluster` can install. */
const supported = (kinds?: readonly ComponentKind[]): readonly Component[] =>
  COMPONENTS.filter(({ kind, tasks }) => tasks.length > 0 && (kinds === undefined || kinds.includes(kind)));

/** The configuration that supported components act on. Values of the same field are put together: `plugin=flannel|calico`. */
export function supportedFields(): readonly string[] {
  const fields = new Map<string, string[] | undefined>();
  for (const pattern of supported().flatMap((one) => one.fields)) {
    const [field = '', values] = pattern.split('=');
    const known = fields.get(field);
    fields.set(field, values === undefined ? undefined : [...new Set([...(known ?? []), ...values.split('|')])]);
  }
  return [...fields].map(([field, values]) => (values === undefined ? field : `${field}=${values.join('|')}`));
}

/** The fields of supported components of some kinds that hold only when the cluster is created. */
export function fixedFields(...kinds: readonly ComponentKind[]): readonly string[] {
  return [...new Set(supported(kinds).flatMap(({ fixed }) => fixed ?? []))];
}
