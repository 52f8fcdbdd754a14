import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectMachine, createHops, KeyRing, type LinkedMachine, localMachine, type ShownKey } from '../host/index.ts';
import type { ClusterHost } from '../model/cluster/index.ts';
import { kubexmError } from '../model/errors/index.ts';
import type { Facts } from '../model/facts.ts';
import { LOCAL } from '../model/host.ts';
import { unlessAborted } from '../model/unless-aborted.ts';
import type { Question } from '../plan/step.ts';
import type { OpenConfig } from '../state/open-config.ts';
import type { WorkDir } from '../state/work-dir.ts';
import { hostKeyAsker } from './host-key-questions.ts';
import { passphraseAsker } from './passphrases.ts';
import { pool } from './pool.ts';
import { type LoginSources, type SshOverrides, targetOf } from './targets.ts';

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
  readonly ask?: (question: Question) => Promise<string>;
  /** Keys that were opened already, by a part of the same command that connected before. */
  readonly keys?: KeyRing;
  readonly reconnectSeconds?: number;
  /** Ends the connecting. What is connected is not touched by it. */
  readonly drain?: AbortSignal;
  readonly stop?: AbortSignal;
  /** Told once, when all are connected, of the host keys that were new and are trusted from now on, and where they are kept. */
  readonly onPinned?: (keys: readonly ShownKey[], file: string) => void;
  /** Told of every host that is ready. */
  readonly onConnected?: (host: string, durationMs: number) => void;
}

/** More handshakes than this at once only wait for each other's cryptography. */
const HANDSHAKES = 25;
/** A host that takes longer is waited for, but not for our cryptography: the next one may begin. */
const HANDSHAKE_MS = 3000;

/**
 * Logs in to the hosts in parallel; login, library and facts of a host cost one round trip once its shell is open. Throws
 * KX4009 when it is interrupted: who did not want to wait has not found any host unreachable.
 */
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
  const interruption = new Interruption(options);
  const pinned: ShownKey[] = [];
  const logIn = logins(config, workDir, options, interruption, (key) => pinned.push(key));
  let tellCut: (host: string, reason: string) => void = () => undefined;
  const connectLocal = async (): Promise<void> => {
    const stateDir = join(workDir.cluster, 'state');
    machines.set(
      LOCAL,
      await localMachine({ name: LOCAL, stateDir, runDir: join(workDir.cluster, 'run'), sudo: false }),
    );
  };
  const connect = async (host: ClusterHost): Promise<void> => {
    const started = performance.now();
    try {
      machines.set(host.name, await logIn(host, (reason) => tellCut(host.name, reason)));
      if (!interruption.signal.aborted) options.onConnected?.(host.name, performance.now() - started);
    } catch (error) {
      unreachable.set(host.name, error instanceof Error ? error : new Error(String(error)));
    }
  };
  const connecting: Promise<void>[] = [];
  const begin = async (host: ClusterHost): Promise<void> => {
    const ready = connect(host);
    connecting.push(ready);
    const enough = new AbortController();
    const slow = sleep(HANDSHAKE_MS, undefined, { signal: enough.signal }).catch(() => undefined);
    await Promise.race([ready, slow]);
    enough.abort();
  };
  const close = async (): Promise<void> => {
    await Promise.allSettled([...machines.values()].map((machine) => machine.close()));
  };
  const [here, away] = [connectLocal(), pool(hosts, HANDSHAKES, begin).then(() => Promise.all(connecting))];
  try {
    await unlessAborted(Promise.all([here, away]), interruption.signal);
    interruption.signal.throwIfAborted();
  } catch (error) {
    // Connections that are still being made are closed. Only the local machine is waited for, lest its shell outlives us.
    void away.then(close);
    await Promise.allSettled([here]);
    await close();
    throw interruption.signal.aborted ? interruption.reason : error;
  } finally {
    interruption.connected();
    if (pinned.length > 0) options.onPinned?.(pinned, workDir.knownHosts);
  }
  return {
    machines,
    unreachable,
    facts: Object.fromEntries([...machines].map(([name, machine]) => [name, machine.facts])),
    onCut: (tell) => {
      tellCut = tell;
    },
    close,
  };
}

/** When to stop: at `stop` always; at `drain`, or when a question is not answered, only while hosts are being connected. */
class Interruption {
  readonly signal: AbortSignal;
  #reason: unknown;
  readonly #controller = new AbortController();
  readonly #drain: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort();

  constructor({ drain, stop }: ConnectOptions) {
    this.signal = this.#controller.signal;
    this.#drain = drain;
    // Every host listens, and there may be thousands.
    setMaxListeners(0, this.signal);
    if (drain?.aborted || stop?.aborted) this.#abort();
    for (const source of [drain, stop]) source?.addEventListener('abort', this.#abort, { once: true });
  }

  readonly giveUp = (reason: unknown): void => {
    this.#reason ??= reason;
    this.#abort();
  };

  get reason(): unknown {
    return this.#reason ?? kubexmError('KX4009', {});
  }

  /** From now on a drain lets what runs on the hosts finish. */
  connected(): void {
    this.#drain?.removeEventListener('abort', this.#abort);
  }
}

function logins(
  config: OpenConfig,
  workDir: WorkDir,
  options: ConnectOptions,
  interruption: Interruption,
  onPinned: (key: ShownKey) => void,
) {
  const { secrets, redactor } = config;
  const { ask, env, keys = new KeyRing(), ssh: overrides = {}, reconnectSeconds } = options;
  for (const passphrase of keys.typed) redactor.add(passphrase);
  const askPassphrase = ask && passphraseAsker(ask, redactor, interruption.giveUp);
  const hostKeys = { onPinned, ...(ask && { ask: hostKeyAsker(ask, interruption.giveUp) }) };
  const sources: LoginSources = { secrets, pinFile: workDir.knownHosts, overrides, env, keys, askPassphrase, hostKeys };
  const hops = createHops();
  return async (host: ClusterHost, onCut: (reason: string) => void): Promise<LinkedMachine> => {
    const sudoPassword = host.ssh.sudoPassword && secrets.get(host.ssh.sudoPassword.at);
    return connectMachine(await targetOf(host, sources), {
      hops,
      onEvent: (event) => {
        if (event.type === 'cut') onCut(event.reason);
      },
      connectTimeoutMs: host.ssh.connectTimeoutSeconds * 1000,
      ...(sudoPassword === undefined ? {} : { sudoPassword }),
      ...(reconnectSeconds === undefined ? {} : { reconnectMs: reconnectSeconds * 1000 }),
      signal: interruption.signal,
    });
  };
}
