import type { Cluster } from '../../model/cluster/index.ts';
import { kubexmError } from '../../model/errors/index.ts';

/** Configuration that every pipeline over a cluster acts on: which machines, and how they are reached. */
export const COMMON_FIELDS: readonly string[] = [
  'apiVersion',
  'kind',
  'metadata.name',
  'spec.ssh.**',
  'spec.hosts.**',
  'spec.roleGroups.**',
  'spec.artifacts.**',
];

/** What the defaults ask for and cannot be done yet is refused as if the user had written it: nothing is ignored. */
export function refuseUnsupported({ spec }: Cluster): void {
  const wrong = [
    ['spec.kubernetes.type', spec.kubernetes.type, 'kubeadm'],
    ['spec.etcd.type', spec.etcd.type, 'kubeadm'],
    ['spec.kubernetes.containerRuntime.type', spec.kubernetes.containerRuntime.type, 'containerd'],
    ['spec.network.plugin', spec.network.plugin, 'flannel'],
    ['spec.dns.nodelocaldns.enabled', String(spec.dns.nodelocaldns.enabled), 'false'],
  ].find(([, value, only]) => value !== only);
  if (wrong !== undefined) {
    const [field, value] = wrong;
    throw kubexmError('KX4010', { pipeline: 'create cluster', field: `${field}: ${value}` });
  }
}
