import { hostsOf } from '../model/cluster/cluster.ts';
import type { Component } from './description.ts';

/** Where etcd serves clients. */
const ETCD_CLIENT_PORT = 2379;
/** Where its members talk to each other. */
const ETCD_PEER_PORT = 2380;

/** What tunes a member, however it runs. */
const FIELDS = [
  'dataDir',
  'version',
  'heartbeatInterval',
  'electionTimeout',
  'snapshotCount',
  'autoCompactionRetention',
  'metrics',
  'quotaBackendBytes',
  'maxRequestBytes',
  'maxSnapshots',
  'maxWals',
  'logLevel',
].map((field) => `spec.etcd.${field}`);
const PKI = ['spec.pki.keyAlgorithm', 'spec.pki.etcd.**', 'spec.pki.validity.**'];

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
  fixed: ['spec.etcd.type', ...FIELDS],
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
  tasks: ['etcd/install', 'etcd/clients'],
  fields: ['spec.etcd.type=kubexm', ...FIELDS, ...PKI],
  // Members that all restart at once with other settings would stop the cluster.
  fixed: ['spec.etcd.type', ...FIELDS, 'spec.pki.etcd.**'],
  catalog: (cluster) => [
    { component: 'etcd', hosts: hostsOf(cluster, 'etcd'), files: ['etcd'], ...version(cluster.spec.etcd.version) },
  ],
  ports,
  processes: ['etcd'],
};

/** An etcd that exists already. */
export const externalEtcd: Component = {
  name: 'external-etcd',
  kind: 'etcd',
  isUsed: ({ spec }) => spec.etcd.type === 'external',
  tasks: ['etcd/clients'],
  fields: ['spec.etcd.type=external', 'spec.etcd.external.**'],
  fixed: ['spec.etcd.type', 'spec.etcd.external.**'],
  // Its client, to ask whether it is healthy.
  catalog: (cluster) => [
    { component: 'etcd', hosts: hostsOf(cluster, 'master'), files: ['etcd'], ...version(cluster.spec.etcd.version) },
  ],
};
