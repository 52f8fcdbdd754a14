import { type Cluster, type ClusterHost, hostsOf, isNode } from '../model/cluster/cluster.ts';
import type { CatalogLine } from './description.ts';

/** The hosts that run pods: masters and workers. */
export function nodesIn(cluster: Cluster): readonly ClusterHost[] {
  return cluster.spec.hosts.filter(isNode);
}

/** The host that applies manifests: the first master. */
export function applierIn(cluster: Cluster): readonly ClusterHost[] {
  return hostsOf(cluster, 'master').slice(0, 1);
}

/** What every container runtime needs beside itself. */
export function besideRuntime(cluster: Cluster): readonly CatalogLine[] {
  const hosts = nodesIn(cluster);
  return [
    ...['cni-plugins', 'crictl'].map((component) => ({ component, hosts, files: [component] })),
    { component: 'pause', hosts, images: ['pause'] },
  ];
}

/** The version of the container runtime that the configuration names. */
export function wantedRuntime({ spec }: Cluster): Pick<CatalogLine, 'wanted'> {
  const { version } = spec.kubernetes.containerRuntime;
  const field = 'spec.kubernetes.containerRuntime.version';
  return version === undefined ? {} : { wanted: { version, field } };
}
