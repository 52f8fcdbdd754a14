import { type DiffOptions, diffMachine, type MachineRef } from '../../src/index.ts';

/**
 * What differs on a machine, as lines such as `added file /etc/x`; what may remain after a delete is left out unless it is asked
 * for. A section that could not be looked at is an error: it is no proof of anything.
 */
export async function changesOn(machine: MachineRef, options: DiffOptions = {}): Promise<string[]> {
  const { differences, unseen } = await diffMachine(machine, { ignoreRemains: true, ...options });
  if (unseen.length > 0) throw new Error(unseen.map(({ section, reason }) => `${section}: ${reason}`).join('\n'));
  return differences.map(({ change, section, key }) => `${change} ${section} ${key}`);
}
