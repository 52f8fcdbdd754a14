import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RigHost, rigProblem, startRig } from '../../test/rig/sshd.ts';

/** Machines on loopback, and how to log in to them. */
export interface BenchHosts {
  readonly hosts: readonly RigHost[];
  readonly address: string;
  readonly user: string;
  readonly keyFile: string;
  readonly knownHosts: string;
  /** A directory that is removed with them. */
  readonly dir: string;
}

/** Why there can be no hosts here; undefined when there can. */
export const noHosts = rigProblem;

/** Runs work with some real SSH servers, each with its own files in memory and its own processes. They are gone afterwards. */
export async function withHosts<T>(count: number, work: (hosts: BenchHosts) => Promise<T>): Promise<T> {
  const rig = await startRig({ hosts: count });
  const remove = () => rmSync(rig.dir, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const knownHosts = join(rig.dir, 'known_hosts');
    const address = '127.0.0.1';
    const lines = rig.hosts.map(async (host) => `[${address}]:${host.port} ${await host.publicHostKey()}\n`);
    writeFileSync(knownHosts, (await Promise.all(lines)).join(''));
    return await work({ hosts: rig.hosts, address, user: 'root', keyFile: rig.key, knownHosts, dir: rig.dir });
  } finally {
    await rig.close();
    process.off('exit', remove);
  }
}
