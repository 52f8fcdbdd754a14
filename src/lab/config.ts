import { API_VERSION } from '../model/cluster/document.ts';
import { SUPPORTED_KUBERNETES } from '../model/cluster/text.ts';
import type { Lab } from './types.ts';

const CONTROL_PLANES = 3;

/** A configuration for a cluster of the lab's machines. */
export function labConfig(lab: Lab): string {
  const names = lab.machines.map((machine) => machine.name);
  // As many as survive the loss of one, where workers are left then.
  const count = names.length > CONTROL_PLANES + 1 ? CONTROL_PLANES : 1;
  const [first] = lab.machines;
  const workers = names.length > count ? names.slice(count) : names;
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
    ...names.slice(0, count).map((name) => `      - ${name}`),
    '    worker:',
    ...workers.map((name) => `      - ${name}`),
    '  kubernetes:',
    `    version: v1.${SUPPORTED_KUBERNETES.last - 2}.2`,
    '  etcd:',
    '    type: kubeadm',
    ...(count > 1 ? ['  controlPlaneEndpoint:', '    internalLoadbalancer: haproxy'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** JSON's strings are YAML's too. */
function text(value: string): string {
  return JSON.stringify(value);
}
