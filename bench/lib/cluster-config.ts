import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A configuration of an ordinary cluster of Kubernetes 1.34; its hosts are never asked. */
export function writeClusterConfig(dir: string): string {
  const file = join(dir, 'cluster.yaml');
  const text = [
    'apiVersion: kubexm.mensylisir.io/v1alpha1',
    'kind: Cluster',
    'metadata: {name: bench}',
    'spec:',
    '  ssh: {user: root, password: env:NOT_ASKED_FOR, sshConfig: none}',
    '  hosts:',
    '    - {name: node1, address: 192.0.2.1}',
    '    - {name: node2, address: 192.0.2.2}',
    '  roleGroups: {master: [node1], worker: [node2]}',
    '  kubernetes: {version: v1.34.2}',
    '  etcd: {type: kubeadm}',
    '  network: {plugin: flannel}',
    '  dns: {nodelocaldns: {enabled: false}}',
  ];
  writeFileSync(file, `${text.join('\n')}\n`);
  return file;
}
