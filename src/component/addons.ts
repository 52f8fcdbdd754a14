import type { Cluster } from '../model/cluster/index.ts';
import type { Component } from './description.ts';
import { applierIn, nodesIn } from './hosts.ts';

/** An addon of kubexm's own that the configuration names. */
const hasAddon = (cluster: Cluster, name: string) =>
  cluster.spec.addons.some((addon) => addon.type === undefined && addon.name === name);

/** Charts of the user's choice. */
export const helm: Component = {
  name: 'helm',
  kind: 'addon',
  isUsed: ({ spec }) => spec.addons.some(({ type }) => type === 'helm'),
  tasks: [],
  fields: ['spec.addons.**'],
  catalog: (cluster) => [{ component: 'helm', hosts: applierIn(cluster), files: ['helm'] }],
};

/** metrics-server, for `kubectl top` and autoscaling. */
export const metricsServer: Component = {
  name: 'metrics-server',
  kind: 'addon',
  isUsed: (cluster) => hasAddon(cluster, 'metrics-server'),
  tasks: [],
  fields: ['spec.addons.**'],
  catalog: (cluster) => [
    { component: 'metrics-server', hosts: nodesIn(cluster), images: ['metrics-server'] },
    { component: 'metrics-server', hosts: applierIn(cluster), files: ['components'] },
  ],
};

/** kube-bench, which compares nodes with the CIS benchmark. */
export const kubeBench: Component = {
  name: 'kube-bench',
  kind: 'addon',
  isUsed: (cluster) => hasAddon(cluster, 'kube-bench'),
  tasks: [],
  fields: ['spec.addons.**'],
  catalog: (cluster) => [{ component: 'kube-bench', hosts: nodesIn(cluster), files: ['kube-bench'] }],
};
