import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { KubexmError, kubexmError } from '../../model/errors/index.ts';
import type { Connection } from '../connection.ts';
import { bareAddress, type Target } from '../target.ts';
import type { SshOptions } from './client.ts';
import { connectFailure } from './failures.ts';

/** A byte stream to a target's SSH port. */
export interface Route {
  readonly socket: Duplex;
  /** When the way to the target itself was begun. Bastions have had a time of their own, and perhaps a person to ask. */
  readonly since: number;
  /** Lets go of the bastions. */
  release(): void;
}

type Connect = (target: Target, options: SshOptions) => Promise<Connection>;

interface SharedHop {
  readonly connection: Promise<Connection>;
  users: number;
}

/** Bastion connections shared by all targets behind them, closed when the last target lets go. */
export class Hops {
  readonly #connect: Connect;
  readonly #shared = new Map<string, SharedHop>();

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  /** Logs in to the last bastion of a chain, or shares the login that is there. */
  async take(chain: readonly Target[], options: SshOptions): Promise<{ connection: Connection; release: () => void }> {
    const key = chain.map((hop) => `${hop.user}@${hop.address}:${hop.port}`).join('>');
    const hop = this.#shared.get(key) ?? this.#open(key, chain, options);
    hop.users++;
    const release = (): void => {
      if (--hop.users > 0) return;
      if (this.#shared.get(key) === hop) this.#shared.delete(key);
      void hop.connection.then((connection) => connection.close()).catch(() => undefined);
    };
    try {
      return { connection: await hop.connection, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  #open(key: string, chain: readonly Target[], options: SshOptions): SharedHop {
    const last = chain.at(-1) as Target;
    const connection = this.#connect({ ...last, bastions: chain.slice(0, -1) }, { ...options, hops: this });
    const hop: SharedHop = { connection, users: 0 };
    this.#shared.set(key, hop);
    const forget = (): void => {
      if (this.#shared.get(key) === hop) this.#shared.delete(key);
    };
    connection.then((open) => void open.closed.then(forget), forget);
    return hop;
  }
}

/** Reaches the target's port: directly, or through its bastions. */
export async function openRoute(target: Target, options: SshOptions & { timeoutMs: number }): Promise<Route> {
  if (target.bastions.length === 0) {
    const since = Date.now();
    return { socket: await dial(target, options.timeoutMs, options.signal), since, release: () => undefined };
  }
  const hops = options.hops;
  if (!hops) throw new TypeError('bastions need hops');
  const last = target.bastions.at(-1) as Target;
  let hop: Awaited<ReturnType<Hops['take']>>;
  try {
    hop = await hops.take(target.bastions, options);
  } catch (error) {
    throw throughBastion(target, last, error as Error);
  }
  const since = Date.now();
  try {
    const forwarded = hop.connection.forwardOut(bareAddress(target.address), target.port);
    return { socket: await inTime(forwarded, options.timeoutMs, options.signal), since, release: hop.release };
  } catch (error) {
    hop.release();
    throw throughBastion(target, last, error as Error);
  }
}

/** A bastion may wait for minutes on a host that drops packets; we do not. A stream that comes too late is closed. */
async function inTime(forwarded: Promise<Duplex>, ms: number, signal: AbortSignal | undefined): Promise<Duplex> {
  const deadline = AbortSignal.any([AbortSignal.timeout(ms), ...(signal ? [signal] : [])]);
  const late = new Promise<never>((_, reject) => {
    deadline.addEventListener('abort', () => reject(new Error(`no answer within ${Math.round(ms / 1000)} s`)), {
      once: true,
    });
  });
  try {
    return await Promise.race([forwarded, late]);
  } catch (error) {
    void forwarded.then((socket) => socket.destroy()).catch(() => undefined);
    throw error;
  }
}

/** The innermost hop that failed is the one to name. */
function throughBastion(target: Target, hop: Target, error: Error): KubexmError {
  const inner = error instanceof KubexmError && error.code === 'KX3013' ? error.params : undefined;
  const reason = inner?.['reason'] ?? error.message;
  return kubexmError(
    'KX3013',
    { host: target.name, hop: inner?.['hop'] ?? hop.name, reason },
    { cause: error, host: target.name },
  );
}

function dial(target: Target, timeoutMs: number, signal: AbortSignal | undefined): Promise<Duplex> {
  const seconds = Math.round(timeoutMs / 1000);
  return new Promise((resolve, reject) => {
    // Without noDelay every small packet waits for an acknowledgement: 40 ms instead of 2.
    const socket = connect({ host: bareAddress(target.address), port: target.port, noDelay: true, keepAlive: true });
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const fail = (error: Error): void => {
      settle();
      socket.destroy();
      reject(connectFailure(target, error, seconds));
    };
    const abort = (): void => {
      settle();
      socket.destroy();
      reject(signal?.reason);
    };
    const timer = setTimeout(() => fail(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })), timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => {
      settle();
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
