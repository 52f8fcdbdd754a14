import type { Component } from './description.ts';
import { applierIn, nodesIn } from './hosts.ts';

/** cilium, by its chart. */
export const cilium: Component = {
  name: 'cilium',
  kind: 'network',
  isUsed: ({ spec }) => spec.network.plugin === 'cilium',
  tasks: [],
  fields: ['spec.network.plugin=cilium', 'spec.network.cilium.**'],
  catalog: (cluster) => [
    { component: 'cilium', hosts: nodesIn(cluster), images: ['cilium', 'cilium-envoy', 'operator-generic'] },
    { component: 'cilium', hosts: applierIn(cluster), files: ['chart'] },
    { component: 'helm', hosts: applierIn(cluster), files: ['helm'] },
  ],
  ports: () => [
    { port: 8472, protocol: 'udp', from: ['peers'] },
    { port: 4240, protocol: 'tcp', from: ['peers'] },
  ],
};
