import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../local/files.ts';
import { labConfig } from './config.ts';
import type { Lab, LabMachine } from './types.ts';

/** Writes a lab's cluster file into its directory, where it goes with the lab, and says where it is. */
export async function keepLabConfig(lab: Lab): Promise<string> {
  const file = join(lab.dir, 'cluster.yaml');
  await writeChanged(file, labConfig(lab));
  return file;
}

/**
 * The words of ssh(1) that log in to a machine: with the lab's key, knowing the machine's key, and without anything of the
 * user's own configuration.
 */
export async function sshWords(machine: LabMachine): Promise<readonly string[]> {
  const known = join(machine.dir, 'known_hosts');
  await writeChanged(known, `${machine.address} ${machine.hostKey}\n`);
  const options = {
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    UserKnownHostsFile: quoted(known),
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: 'yes',
    ConnectTimeout: '10',
    LogLevel: 'ERROR',
  };
  return [
    ...['-F', 'none', '-i', machine.sshKeyPath],
    ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
    `${machine.user}@${machine.address}`,
  ];
}

// ssh splits the names of files at spaces.
function quoted(path: string): string {
  return /[\s"]/.test(path) ? `"${path.replaceAll('"', '\\"')}"` : path;
}

async function writeChanged(file: string, text: string): Promise<void> {
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before === text) return;
  await replaceFile(file, text, { isNote: true, draft: `${file}.${process.pid}` });
}
