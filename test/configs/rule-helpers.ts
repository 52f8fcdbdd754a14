import { plus } from './cases.ts';

/** With a control plane endpoint. */
export const endpoint = (spec: string, ...edits: readonly (readonly [string, string])[]): string =>
  plus(`controlPlaneEndpoint:\n${spec.replace(/^(?=.)/gm, '  ')}`, ...edits);
/** Three masters. */
export const THREE = ['master: [node1]', 'master: [node1, node2, node3]'] as const;
/** One load balancer host. */
export const BALANCERS = ['worker: [node2, node3]', 'worker: [node2]\n    loadbalancer: [node3]'] as const;
/** A line more under kubernetes. */
export const kube = (line: string): readonly [string, string] => ['version: v1.34.2', `version: v1.34.2\n    ${line}`];
/** Another content of etcd. */
export const etcd = (text: string): readonly [string, string] => ['    type: kubeadm\n', `    ${text}\n`];
/** Internal addresses of the three hosts. */
export const internal = (one: string, two: string, three: string) =>
  [
    ['172.16.0.2}', `172.16.0.2, internalAddress: "${one}"}`],
    ['172.16.0.3}', `172.16.0.3, internalAddress: "${two}"}`],
    ['172.16.0.4}', `172.16.0.4, internalAddress: "${three}"}`],
  ] as const;
/** Hosts with both families. */
export const DUAL = internal('172.16.0.2,2022::2', '172.16.0.3,2022::3', '172.16.0.4,2022::4');
