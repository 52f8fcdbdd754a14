import { hostsOf } from '../model/cluster/cluster.ts';
import type { Component } from './description.ts';

/** Where etcd serves clients. */
const ETCD_CLIENT_PORT = 2379;
/** Where its members talk to each other. */
const ETCD_PEER_PORT = 2380;

const FIELDS = ['spec.etcd.dataDir'];

const version = (wanted: string | undefined) =>
  wanted === undefined ? {} : { wanted: { version: wanted, field: 'spec.etcd.version' } };

const ports: Component['ports'] = (_cluster, { roles }) =>
  roles.includes('etcd')
    ? [
        { port: ETCD_CLIENT_PORT, protocol: 'tcp', from: ['masters', 'etcd'] },
        { port: ETCD_PEER_PORT, protocol: 'tcp', from: ['etcd'] },
      ]
    : [];

/** etcd in static pods of the masters, as kubeadm runs it. */
export const stackedEtcd: Component = {
  name: 'stacked-etcd',
  kind: 'etcd',
  isUsed: ({ spec }) => spec.etcd.type === 'kubeadm',
  tasks: ['kubernetes/init'],
  fields: ['spec.etcd.type=kubeadm', ...FIELDS],
  fixed: ['spec.etcd.type', 'spec.etcd.dataDir'],
  catalog: (cluster) => [
    { component: 'etcd', hosts: hostsOf(cluster, 'master'), images: ['etcd'], ...version(cluster.spec.etcd.version) },
  ],
  ports,
  processes: ['etcd'],
};

/** etcd as a service of its own on the hosts of role `etcd`. */
export const etcd: Component = {
  name: 'etcd',
  kind: 'etcd',
  isUsed: ({ spec }) => spec.etcd.type === 'kubexm',
  tasks: [],
  fields: ['spec.etcd.type=kubexm', ...FIELDS],
  catalog: (cluster) => [
    { component: 'etcd', hosts: hostsOf(cluster, 'etcd'), files: ['etcd'], ...version(cluster.spec.etcd.version) },
  ],
  ports,
  processes: ['etcd'],
};

/** An etcd that exists already. There is nothing to install. */
export const externalEtcd: Component = {
  name: 'external-etcd',
  kind: 'etcd',
  isUsed: ({ spec }) => spec.etcd.type === 'external',
  tasks: [],
  fields: ['spec.etcd.type=external', 'spec.etcd.external.**'],
  catalog: () => [],
};
