import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchHosts } from './hosts.ts';

/** A configuration for the hosts. `ports` are others than their own where a proxy stands before them. */
export function writeConfig(dir: string, hosts: BenchHosts, ports = hosts.hosts.map((host) => host.port)): string {
  const lines = hosts.hosts.map(
    ({ name }, i) =>
      `    - {name: ${name}, address: ${hosts.address}, port: ${ports[i]}, internalAddress: 192.0.2.${i + 1}}`,
  );
  const text = [
    'apiVersion: kubexm.mensylisir.io/v1alpha1',
    'kind: Cluster',
    'metadata: {name: bench}',
    'spec:',
    `  ssh: {user: ${hosts.user}, privateKeyPath: ${hosts.keyFile}, sshConfig: none}`,
    '  hosts:',
    ...lines,
    '  roleGroups:',
    `    master: [${hosts.hosts[0]?.name}]`,
    `    worker: [${hosts.hosts.map((host) => host.name).join(', ')}]`,
    '  etcd: {type: kubeadm}',
    '  kubernetes: {version: v1.34.2}',
  ];
  const file = join(dir, 'cluster.yaml');
  writeFileSync(file, `${text.join('\n')}\n`);
  return file;
}
