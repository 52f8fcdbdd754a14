import { userInfo } from 'node:os';
import { connectLocal } from '../connector/local.ts';
import { connectSsh } from '../connector/ssh/client.ts';
import type { Hops } from '../connector/ssh/route.ts';
import type { Target } from '../connector/target.ts';
import { DEADLINES, type Deadlines } from '../model/deadlines.ts';
import { kubexmError } from '../model/errors/index.ts';
import type { Output } from '../model/host.ts';
import { LOCAL } from '../model/host.ts';
import { parseFacts } from './facts/index.ts';
import { Link, type LinkEvent, type LinkOptions } from './link.ts';
import { LinkedMachine } from './machine.ts';
import type { Shell } from './shell.ts';

/** How a machine is worked on. */
export interface MachineOptions {
  /** Default /var/lib/kubexm, or ~/.local/state/kubexm when not root. */
  readonly stateDir?: string;
  /** Default /run/kubexm, or a directory of the user's own when not root. */
  readonly runDir?: string;
  /** Become root when the user is not. Default true. */
  readonly sudo?: boolean;
  readonly sudoPassword?: string;
  /** How long the machine may stay away before it counts as lost. Default 60 s. */
  readonly reconnectMs?: number;
  /** How often the lock's owner says that it is alive. Default 5 s. */
  readonly heartbeatMs?: number;
  /** Other deadlines than the usual ones. */
  readonly deadlines?: Partial<Deadlines>;
  /** Told of cuts and reconnects. */
  readonly onEvent?: (event: LinkEvent) => void;
  readonly signal?: AbortSignal;
}

/** How a machine is reached over SSH. */
export interface ConnectOptions extends MachineOptions {
  /** For TCP, key exchange and login together. Default 15 s. */
  readonly connectTimeoutMs?: number;
  /** How often a silent connection is asked whether it lives. Default 10 s. */
  readonly keepaliveMs?: number;
  /** Bastion connections to share between targets. */
  readonly hops?: Hops;
}

/** Logs in over SSH, becomes root and reads the facts. */
export function connectMachine(target: Target, options: ConnectOptions = {}): Promise<LinkedMachine> {
  const { hops, signal } = options;
  const deadlines = deadlinesOf(options);
  const { connectMs } = deadlines;
  const dial: LinkOptions['dial'] = (timeoutMs) =>
    connectSsh(target, {
      timeoutMs: Math.min(connectMs, timeoutMs ?? connectMs),
      keepaliveMs: deadlines.keepaliveMs,
      deadlines,
      ...(hops && { hops }),
      ...(signal && { signal }),
    });
  const sudoPassword = options.sudoPassword ?? target.auth.password;
  return open(target.name, target.user, dial, { ...options, ...(sudoPassword !== undefined && { sudoPassword }) });
}

/** This machine, worked on in the same way. */
export function localMachine(options: MachineOptions & { readonly name?: string } = {}): Promise<LinkedMachine> {
  return open(options.name ?? LOCAL, userInfo().username, () => Promise.resolve(connectLocal()), options);
}

async function open(
  host: string,
  user: string,
  dial: LinkOptions['dial'],
  options: MachineOptions,
): Promise<LinkedMachine> {
  const { sudo = true, sudoPassword, signal, stateDir, runDir, onEvent } = options;
  const deadlines = deadlinesOf(options);
  const login = {
    host,
    user,
    sudo,
    timeoutMs: deadlines.loginMs,
    ...(sudoPassword !== undefined && { sudoPassword }),
    ...(signal && { signal }),
  };
  const places = { ...(stateDir !== undefined && { stateDir }), ...(runDir !== undefined && { runDir }) };
  const { link, first } = await Link.open({ ...places, onEvent, login, dial, deadlines }, askFacts);
  try {
    const facts = parseFacts(first.text, { ...first, user });
    return new LinkedMachine(link, facts);
  } catch (error) {
    await link.close();
    throw kubexmError('KX3050', { host, reason: (error as Error).message }, { host, cause: error });
  }
}

function deadlinesOf(options: ConnectOptions): Deadlines {
  const { deadlines, reconnectMs, heartbeatMs, keepaliveMs, connectTimeoutMs } = options;
  return {
    ...DEADLINES,
    ...(reconnectMs !== undefined && { reconnectMs }),
    ...(heartbeatMs !== undefined && { heartbeatMs }),
    ...(keepaliveMs !== undefined && { keepaliveMs }),
    ...(connectTimeoutMs !== undefined && { connectMs: connectTimeoutMs }),
    ...deadlines,
  };
}

interface RawFacts {
  readonly text: string;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Two calls in one round trip: the clock is answered at once, so that slow facts do not blur the offset. */
async function askFacts(shell: Shell): Promise<RawFacts> {
  const maxBytes = 4 * 1024 * 1024;
  const sentAt = Date.now();
  const clock = shell.call(['date +%s.%N'], { maxBytes }).outputs.then(([time]) => ({ time, receivedAt: Date.now() }));
  const facts = shell.call(['kx_facts'], { maxBytes }).outputs;
  const [{ time, receivedAt }, [rest]] = await Promise.all([clock, facts]);
  return { text: `@@ time\n${text(time)}${text(rest)}`, sentAt, receivedAt };
}

function text(output: Output | undefined): string {
  return output?.stdout ?? '';
}
