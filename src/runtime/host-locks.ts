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

/** Takes the locks away from whoever holds them; a living job is never touched. Returns what was held. */
export async function breakLocks(options: HostLocksOptions): Promise<readonly HostLock[]> {
  return withHosts(options, async (connected) => {
    const held = (await readAll(connected)).filter((lock) => lock.state !== undefined);
    const machines = held.flatMap(({ host }) => connected.machines.get(host) ?? []);
    await Promise.all(machines.map((machine) => machine.breakLock()));
    return held;
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
