import type { Effect } from '../model/effect.ts';
import { bridgeEffects } from './cni.ts';
import type { Component } from './description.ts';
import { applierIn, nodesIn } from './hosts.ts';

/** The name that flannel's manifest gives the network of pods. */
const NETWORK = 'cbr0';

/** flannel, which carries the packets of pods between nodes. */
export const flannel: Component = {
  name: 'flannel',
  kind: 'network',
  isUsed: ({ spec }) => spec.network.plugin === 'flannel',
  tasks: ['network/flannel'],
  fields: ['spec.network.plugin=flannel', 'spec.network.flannel.**'],
  // Another network beside the first would not take its place.
  fixed: ['spec.network.plugin', 'spec.network.kubePodsCIDR'],
  catalog: (cluster) => [
    { component: 'flannel', hosts: nodesIn(cluster), images: ['flannel', 'flannel-cni-plugin'] },
    { component: 'flannel', hosts: applierIn(cluster), files: ['kube-flannel'] },
  ],
  modules: ({ spec }) => {
    const backend = spec.network.flannel?.backend ?? 'vxlan';
    return backend === 'vxlan' || backend === 'wireguard' ? [{ name: backend, purpose: `flannel (${backend})` }] : [];
  },
  ports: ({ spec: { network } }) => {
    const { ipv4, ipv6 } = network.kubePodsCIDR;
    const byBackend = {
      vxlan: [8472],
      'host-gw': [],
      wireguard: [...(ipv4 === undefined ? [] : [51820]), ...(ipv6 === undefined ? [] : [51821])],
      udp: [8285],
    };
    return byBackend[network.flannel?.backend ?? 'vxlan'].map((port) => ({ port, protocol: 'udp', from: ['peers'] }));
  },
  workloads: () => [
    {
      kind: 'DaemonSet',
      title: 'flannel',
      namespace: 'kube-flannel',
      name: 'kube-flannel-ds',
      selector: 'app=flannel',
      applied: true,
    },
  ],
  effects: ({ spec }) => {
    const { ipv4, ipv6 } = spec.network.kubePodsCIDR;
    return [
      ...bridgeEffects(),
      { type: 'namespaces', network: NETWORK },
      { type: 'links', prefix: 'flannel' },
      // host-gw and direct routing need no link.
      ...[ipv4, ipv6].flatMap((within): Effect[] => (within === undefined ? [] : [{ type: 'routes', within }])),
      { type: 'iptables-chains', prefix: 'FLANNEL-' },
      { type: 'cni-chains', network: NETWORK },
      { type: 'nft-tables', family: 'ip', prefix: 'flannel' },
      { type: 'nft-tables', family: 'ip6', prefix: 'flannel' },
      { type: 'path', path: '/run/flannel' },
      { type: 'path', path: '/opt/cni/bin/flannel' },
      { type: 'path', path: '/etc/cni/net.d/10-flannel.conflist' },
      { type: 'path', path: '/var/lib/cni/flannel' },
      { type: 'path', path: `/var/lib/cni/networks/${NETWORK}` },
      { type: 'paths', prefix: `/var/lib/cni/results/${NETWORK}-` },
    ];
  },
};
