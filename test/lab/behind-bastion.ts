import type { Target } from '../../src/connector/target.ts';
import type { TestLab } from './fixture.ts';

/** Who logs in, and what sudo asks for: the hardest way that is usual. */
export const LOGIN = { user: 'admin', sudoPassword: `it's "secret" ${process.pid}` } as const;

/** How kubexm logs in to a machine of a lab whose first machine is the only way to it. */
export async function targetBehind(lab: TestLab, index: number): Promise<Target> {
  return lab.target(index, { bastions: [await lab.target(1)] });
}

/** A configuration for the machines of a lab but the first, which is the only way to them. */
export async function configBehind(lab: TestLab, name: string): Promise<string> {
  const [bastion, ...nodes] = (await lab.look()).machines;
  if (!bastion) throw new Error('a lab without machines');
  const names = nodes.map((node) => node.name);
  const hop = `{address: ${bastion.address}, user: ${bastion.user}, privateKeyPath: ${bastion.sshKeyPath}}`;
  return `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: ${name}}
spec:
  ssh:
    user: ${bastion.user}
    privateKeyPath: ${bastion.sshKeyPath}
    sudoPassword: 'file:${bastion.sudoPasswordFile}'
    sshConfig: none
    bastion: ${hop}
  hosts:
${nodes.map((node) => `  - {name: ${node.name}, address: ${node.address}}`).join('\n')}
  roleGroups: {master: [${names[0]}], etcd: [${names[0]}], worker: [${names.join(', ')}]}
  kubernetes: {version: v1.34.4}
`;
}
