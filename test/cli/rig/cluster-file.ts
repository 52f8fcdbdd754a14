import type { Rig } from '../../rig/sshd.ts';

/** What a file says about the hosts of a rig. */
export interface ClusterFile {
  /** How many of the hosts are in it. Default: all. */
  readonly count?: number;
  /** What is said of a host beside where it is. */
  readonly host?: (place: number) => string;
  /** Default: the first host is the master, the last one the worker. */
  readonly roles?: string;
  readonly version?: string;
  /** More lines of `spec`. */
  readonly more?: string;
}

/** Lines of `spec` with which `create cluster` does all that the file says. */
export const CREATABLE = `  etcd: {type: kubeadm}
  network: {plugin: flannel}
  dns: {nodelocaldns: {enabled: false}}
`;

/** The file of a cluster named demo on the hosts of a rig. */
export function clusterFile(rig: Rig, { count = rig.hosts.length, host, ...spec }: ClusterFile = {}): string {
  const hosts = rig.hosts.slice(0, count).map(({ name, port }, i) => {
    const more = host === undefined ? '' : `, ${host(i)}`;
    return `  - {name: ${name}, address: 127.0.0.1, port: ${port}, internalAddress: 10.9.0.${i + 1}${more}}`;
  });
  const { roles = `master: [host1], worker: [host${count}]`, version = 'v1.34.2', more = CREATABLE } = spec;
  return `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: demo}
spec:
  ssh: {user: root, privateKeyPath: ${rig.key}, sshConfig: none}
  hosts:
${hosts.join('\n')}
  roleGroups: {${roles}}
  kubernetes: {version: ${version}}
${more}`;
}
