import type { LockState } from '../host/index.ts';
import { LOCAL } from '../model/host.ts';
import type { Question } from '../plan/step.ts';
import { type Connected, type ConnectOptions, connectHosts } from './connect.ts';
import { openConfig } from './open-config.ts';
import { selectHosts } from './select-hosts.ts';
import { makeWorkDir } from './work-dir.ts';

/** A host and who holds it; nobody when `state` is undefined. */
export interface HostLock {
  readonly host: string;
  readonly state: LockState | undefined;
  /** Why the host could not be asked. */
  readonly error?: Error;
}

/** Which hosts are meant, and how they are reached. */
export interface HostLocksOptions extends Omit<ConnectOptions, 'env' | 'ask'> {
  readonly configFile: string;
  readonly baseDir?: string;
  readonly nodes?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly ask?: (question: Question) => Promise<string>;
}

/** Who holds the hosts. Only looks. */
export async function lockOwners(options: HostLocksOptions): Promise<readonly HostLock[]> {
  return withHosts(options, (connected) => readAll(connected));
}

/**
 * Takes the locks that `lockOwners` has shown away from their owners; somebody who came meanwhile keeps theirs, and a living
 * job is never touched. Returns what was broken.
 */
export async function breakLocks(options: HostLocksOptions, shown: readonly HostLock[]): Promise<readonly HostLock[]> {
  const owners = new Map(shown.flatMap(({ host, state }) => (state ? [[host, state.owner?.run]] : [])));
  return withHosts({ ...options, nodes: [...owners.keys()] }, async (connected) => {
    const held = await readAll(connected);
    const same = held.filter(({ host, state }) => state !== undefined && state.owner?.run === owners.get(host));
    const broken = await Promise.all(same.map(({ host }) => connected.machines.get(host)?.breakLock()));
    return same.filter((_lock, i) => broken[i] === true);
  });
}

async function withHosts<T>(options: HostLocksOptions, work: (connected: Connected) => Promise<T>): Promise<T> {
  const env = options.env ?? process.env;
  const config = await openConfig(options.configFile, { name: 'unlock', actsOn: ['**'] }, { env, ask: options.ask });
  const workDir = makeWorkDir(options.baseDir ?? process.cwd(), config.cluster.metadata.name);
  const connected = await connectHosts(config, selectHosts(config.cluster, options.nodes ?? []), workDir, {
    ...options,
    env,
  });
  try {
    return await work(connected);
  } finally {
    await connected.close();
  }
}

async function readAll(connected: Connected): Promise<readonly HostLock[]> {
  const machines = [...connected.machines].filter(([name]) => name !== LOCAL);
  const asked = machines.map(async ([host, machine]) => ({ host, state: await machine.readLockOwner() }));
  const failed = [...connected.unreachable].map(([host, error]) => ({ host, state: undefined, error }));
  return [...(await Promise.all(asked)), ...failed];
}
