import { hostsOf } from '../model/cluster/cluster.ts';
import type { Cluster } from '../model/cluster/index.ts';
import type { Component, Port } from './description.ts';
import { applierIn, nodesIn } from './hosts.ts';

/** With more nodes than this, calico's nodes ask typha instead of the API server. */
const TYPHA_FROM = 50;

/** calico, with network policy. */
export const calico: Component = {
  name: 'calico',
  kind: 'network',
  isUsed: ({ spec }) => spec.network.plugin === 'calico',
  tasks: [],
  fields: ['spec.network.plugin=calico', 'spec.network.calico.**', 'spec.network.ippool.**'],
  catalog: (cluster) => {
    const hosts = nodesIn(cluster);
    const typha = hosts.length > TYPHA_FROM;
    const images = ['cni', 'kube-controllers', 'node', ...(typha ? ['typha'] : [])];
    return [
      { component: 'calico', hosts, images },
      { component: 'calico', hosts: applierIn(cluster), files: ['crds', typha ? 'manifest-typha' : 'manifest'] },
      { component: 'calico', hosts: hostsOf(cluster, 'master'), files: ['calicoctl'] },
    ];
  },
  modules: (cluster) => [
    ...(byVxlan(cluster) ? [{ name: 'vxlan', purpose: 'calico (vxlan)' }] : []),
    ...((cluster.spec.network.calico?.ipipMode ?? 'Always') === 'Never'
      ? []
      : [{ name: 'ipip', purpose: 'calico (ipip)' }]),
  ],
  ports: (cluster): readonly Port[] => [
    { port: 179, protocol: 'tcp', from: ['peers'] },
    ...(byVxlan(cluster) ? [{ port: 4789, protocol: 'udp', from: ['peers'] } as const] : []),
  ],
};

function byVxlan({ spec }: Cluster): boolean {
  return (spec.network.calico?.vxlanMode ?? 'Never') !== 'Never';
}
