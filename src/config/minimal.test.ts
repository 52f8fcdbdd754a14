import { expect, test } from 'vitest';
import { createCluster } from '../pipeline/cluster/create.ts';
import { loadConfig } from './load.ts';
import { unsupportedDefaults, unsupportedFields } from './support.ts';

const minimal = (masters: string, more = '') => `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: c}
spec:
  hosts: [{name: n1, address: 192.0.2.1}, {name: n2, address: 192.0.2.2}, {name: n3, address: 192.0.2.3}]
  roleGroups: {master: ${masters}, worker: [n2, n3]}
  kubernetes: {version: v1.34.2${more}}
`;

test.each([
  ['by kubeadm', minimal('[n1]')],
  ['without kubeadm', minimal('[n1]', ', type: kubexm')],
])('a file with a name, hosts, roles and a version is enough: %s', async (_, text) => {
  const { cluster, problems, source } = await loadConfig({ text, file: 'cluster.yaml' });
  expect(problems).toEqual([]);
  expect(unsupportedFields(source, createCluster.actsOn, 'create cluster')).toEqual([]);
  expect(unsupportedDefaults({ cluster: cluster!, source }, createCluster.actsOn, 'create cluster')).toEqual([]);
  // etcd is a service on the masters.
  expect(cluster?.spec.etcd.type).toBe('kubexm');
  expect(cluster?.spec.roleGroups.etcd).toEqual(['n1']);
  expect(cluster?.spec.hosts[0]?.roles).toContain('etcd');
});
