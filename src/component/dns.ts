import type { Component } from './description.ts';
import { nodesIn } from './hosts.ts';

/** CoreDNS, which answers names in the cluster. */
export const coredns: Component = {
  name: 'coredns',
  kind: 'dns',
  isUsed: () => true,
  tasks: ['dns/coredns'],
  fields: ['spec.dns.dnsEtcHosts', 'spec.dns.coredns.**', 'spec.dns.nodelocaldns.enabled=false'],
  catalog: (cluster) => [{ component: 'coredns', hosts: nodesIn(cluster), images: ['coredns'] }],
  workloads: () => [
    { kind: 'Deployment', title: 'CoreDNS', namespace: 'kube-system', name: 'coredns', selector: 'k8s-app=kube-dns' },
  ],
};

/** NodeLocal DNS: a cache of names on every node. */
export const nodelocaldns: Component = {
  name: 'nodelocaldns',
  kind: 'dns',
  isUsed: ({ spec }) => spec.dns.nodelocaldns.enabled,
  tasks: [],
  fields: ['spec.dns.nodelocaldns.**'],
  catalog: (cluster) => [{ component: 'node-cache', hosts: nodesIn(cluster), images: ['node-cache'] }],
};
