import { join } from 'node:path';
import { connectMachine, createHops, type Hops, type LinkedMachine, localMachine } from '../host/index.ts';
import type { ClusterHost } from '../model/cluster/index.ts';
import type { Facts } from '../model/facts.ts';
import { LOCAL } from '../model/host.ts';
import type { OpenConfig } from './open-config.ts';
import { pool } from './pool.ts';
import { type SshOverrides, targetOf } from './targets.ts';
import type { WorkDir } from './work-dir.ts';

/** The machines of a run. */
export interface Connected {
  /** Those that answered, by host name, the local one among them. */
  readonly machines: ReadonlyMap<string, LinkedMachine>;
  readonly facts: Readonly<Record<string, Facts>>;
  /** Why the others did not. */
  readonly unreachable: ReadonlyMap<string, Error>;
  /** Calls back when a connection is cut; it is made again by itself. */
  onCut(tell: (host: string, reason: string) => void): void;
  close(): Promise<void>;
}

/** How the hosts are reached. */
export interface ConnectOptions {
  readonly ssh?: SshOverrides;
  readonly env: NodeJS.ProcessEnv;
  readonly ask?: (question: { readonly text: string; readonly secret: true }) => Promise<string>;
  readonly reconnectSeconds?: number;
  readonly stop?: AbortSignal;
  /** Told of every host that is ready. */
  readonly onConnected?: (host: string, durationMs: number) => void;
}

/** More handshakes than this at once only wait for each other's cryptography. */
const HANDSHAKES = 25;

/** Logs in to the hosts in parallel; login, library and facts of a host cost one round trip once its shell is open. */
export async function connectHosts(
  config: OpenConfig,
  names: readonly string[],
  workDir: WorkDir,
  options: ConnectOptions,
): Promise<Connected> {
  const machines = new Map<string, LinkedMachine>();
  const unreachable = new Map<string, Error>();
  const wanted = new Set(names);
  const hosts = config.cluster.spec.hosts.filter((host) => wanted.has(host.name));
  const local = localMachine({
    name: LOCAL,
    stateDir: join(workDir.cluster, 'state'),
    runDir: join(workDir.cluster, 'run'),
    sudo: false,
  });
  const hops = createHops();
  let tellCut: (host: string, reason: string) => void = () => undefined;
  const login = async (host: ClusterHost): Promise<void> => {
    const started = performance.now();
    try {
      machines.set(
        host.name,
        await connectOne(host, config, workDir, options, hops, (reason) => tellCut(host.name, reason)),
      );
      options.onConnected?.(host.name, performance.now() - started);
    } catch (error) {
      unreachable.set(host.name, error instanceof Error ? error : new Error(String(error)));
    }
  };
  const [here] = await Promise.all([local, pool(hosts, HANDSHAKES, login)]);
  machines.set(LOCAL, here);
  return {
    machines,
    unreachable,
    facts: Object.fromEntries([...machines].map(([name, machine]) => [name, machine.facts])),
    onCut: (tell) => {
      tellCut = tell;
    },
    close: async () => {
      await Promise.allSettled([...machines.values()].map((machine) => machine.close()));
    },
  };
}

async function connectOne(
  host: ClusterHost,
  config: OpenConfig,
  workDir: WorkDir,
  options: ConnectOptions,
  hops: Hops,
  onCut: (reason: string) => void,
): Promise<LinkedMachine> {
  const { secrets } = config;
  const { ask, env, ssh: overrides = {} } = options;
  const sudoPassword = host.ssh.sudoPassword && secrets.get(host.ssh.sudoPassword.at);
  const target = await targetOf(host, { secrets, pinFile: workDir.knownHosts, overrides, env, ask });
  return connectMachine(target, {
    hops,
    onEvent: (event) => {
      if (event.type === 'cut') onCut(event.reason);
    },
    connectTimeoutMs: host.ssh.connectTimeoutSeconds * 1000,
    ...(sudoPassword === undefined ? {} : { sudoPassword }),
    ...(options.reconnectSeconds === undefined ? {} : { reconnectMs: options.reconnectSeconds * 1000 }),
    ...(options.stop ? { signal: options.stop } : {}),
  });
}
