import { readManifest } from '../host/manifest.ts';
import { LOCAL } from '../model/host.ts';
import type { HostManifest } from '../model/manifest.ts';
import { type WithHostsOptions, withHosts } from './with-hosts.ts';

/** A host and its manifest; none when kubexm changed nothing on it. */
export interface HostManifestReport {
  readonly host: string;
  readonly manifest: HostManifest | undefined;
  /** Why the host could not be asked. */
  readonly error?: Error;
}

/** What kubexm changed on hosts. Only looks. */
export async function readManifests(options: WithHostsOptions): Promise<readonly HostManifestReport[]> {
  return withHosts('reset nodes', options, async (connected) => {
    const machines = [...connected.machines].filter(([name]) => name !== LOCAL);
    const asked = machines.map(async ([host, machine]) => ({ host, manifest: await readManifest(machine) }));
    const failed = [...connected.unreachable].map(([host, error]) => ({ host, manifest: undefined, error }));
    return [...(await Promise.all(asked)), ...failed];
  });
}
