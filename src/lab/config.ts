import { API_VERSION } from '../model/cluster/document.ts';
import { SUPPORTED_KUBERNETES } from '../model/cluster/text.ts';
import type { Lab, LabMachine } from './types.ts';

/** The default version of Kubernetes: one that every source has had for a while. */
export const LAB_KUBERNETES = `v1.${SUPPORTED_KUBERNETES.last - 3}.2`;

/** What of a lab its configuration says. */
export type ConfiguredLab = Pick<Lab, 'name' | 'user'> & {
  readonly machines: readonly Pick<LabMachine, 'name' | 'address' | 'sshKeyPath' | 'sudoPasswordFile'>[];
};

/** A configuration for a cluster of the lab's machines. */
export function labConfig(lab: ConfiguredLab, version = LAB_KUBERNETES): string {
  const names = lab.machines.map((machine) => machine.name);
  const [first] = lab.machines;
  const workers = names.length > 1 ? names.slice(1) : names;
  const lines = [
    `# The machines of lab ${lab.name}. Written by: kubexm lab config ${lab.name}`,
    `apiVersion: ${API_VERSION}`,
    'kind: Cluster',
    'metadata:',
    `  name: ${lab.name}`,
    'spec:',
    '  ssh:',
    `    user: ${lab.user}`,
    `    privateKeyPath: ${text(first?.sshKeyPath ?? '')}`,
    ...(first?.sudoPasswordFile === undefined ? [] : [`    sudoPassword: ${text(`file:${first.sudoPasswordFile}`)}`]),
    '    sshConfig: none',
    '  hosts:',
    ...lab.machines.map((machine) => `    - {name: ${machine.name}, address: ${machine.address}}`),
    '  roleGroups:',
    '    master:',
    ...names.slice(0, 1).map((name) => `      - ${name}`),
    '    worker:',
    ...workers.map((name) => `      - ${name}`),
    '  kubernetes:',
    `    version: ${version}`,
    // The machines share the box's disk and its table of connections: neither is a node's own to guard.
    '    kubeletConfiguration:',
    '      imageGCHighThresholdPercent: 100',
    '      imageGCLowThresholdPercent: 99',
    '      evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%}',
    '    kubeProxyConfiguration:',
    '      conntrack: {maxPerCore: 0, min: 0}',
    '  network:',
    '    plugin: flannel',
    '  dns:',
    '    nodelocaldns: {enabled: false}',
    '  etcd:',
    '    type: kubeadm',
  ];
  return `${lines.join('\n')}\n`;
}

/** JSON's strings are YAML's too. */
function text(value: string): string {
  return JSON.stringify(value);
}
