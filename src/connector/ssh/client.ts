import type { Duplex } from 'node:stream';
import ssh2 from 'ssh2';
import { DEADLINES, type Deadlines, KEEPALIVES_MISSED } from '../../model/deadlines.ts';
import { unlessAborted } from '../../model/unless-aborted.ts';
import type { Connection } from '../connection.ts';
import type { Target } from '../target.ts';
import { type AuthPlan, planAuth } from './auth.ts';
import { SshConnection } from './connection.ts';
import { connectFailure } from './failures.ts';
import { gatherWrites } from './gather.ts';
import { type HostKeyCheck, hostKeyCheck } from './host-keys.ts';
import { Hops, openRoute } from './route.ts';
import { tuneCipher } from './tune-cipher.ts';

/** How a login is made. */
export interface SshOptions {
  /** For TCP, key exchange and login together; what a person types before is not counted. Default 15 s. */
  readonly timeoutMs?: number;
  /** How often a silent connection is asked whether it is alive. Default 10 s; three missed answers end it. */
  readonly keepaliveMs?: number;
  readonly deadlines?: Deadlines;
  /** Bastion connections to share between targets. */
  readonly hops?: Hops;
  readonly signal?: AbortSignal;
}

/** AES-GCM first: with the CPU's own instructions it is twice as fast as the usual first choice. */
const CIPHERS: ssh2.CipherAlgorithm[] = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'chacha20-poly1305@openssh.com' as ssh2.CipherAlgorithm,
  'aes128-ctr',
  'aes192-ctr',
  'aes256-ctr',
];

/** Bastion connections for many targets to share. */
export function createHops(): Hops {
  return new Hops(connectSsh);
}

/** Logs in to a target, through its bastions, with its host key checked. */
export async function connectSsh(target: Target, options: SshOptions = {}): Promise<Connection> {
  options.signal?.throwIfAborted();
  const timeoutMs = options.timeoutMs ?? DEADLINES.connectMs;
  const hops = options.hops ?? createHops();
  // Before the socket opens: once it is, nobody may miss its end.
  const ready = Promise.all([hostKeyCheck(target), planAuth(target)]);
  const [hostKey, auth] = await unlessAborted(ready, options.signal);
  try {
    return await connectOnce(target, { ...options, hops, timeoutMs, hostKey, auth });
  } catch (error) {
    if (!(await unlessAborted(hostKey.accepted(), options.signal))) throw error;
    // It is pinned now, so nobody is asked again.
    return await connectSsh(target, options);
  }
}

async function connectOnce(
  target: Target,
  options: Omit<LoginOptions, 'leftMs'> & { readonly hops: Hops },
): Promise<Connection> {
  const { timeoutMs } = options;
  const route = await openRoute(target, options);
  try {
    const leftMs = Math.max(1, route.since + timeoutMs - Date.now());
    const client = await login(target, route.socket, { ...options, leftMs });
    const connection = new SshConnection(client, target.name, options.deadlines);
    void connection.closed.then(() => {
      route.socket.destroy();
      route.release();
    });
    return connection;
  } catch (error) {
    route.socket.destroy();
    route.release();
    throw error;
  }
}

interface LoginOptions extends SshOptions {
  readonly timeoutMs: number;
  readonly leftMs: number;
  readonly hostKey: HostKeyCheck;
  readonly auth: AuthPlan;
}

function login(target: Target, sock: Duplex, options: LoginOptions): Promise<ssh2.Client> {
  const { hostKey, auth, timeoutMs, leftMs } = options;
  const client = new ssh2.Client();
  const failure = (error: Error): Error => connectFailure(target, error, Math.round(timeoutMs / 1000));
  return new Promise<ssh2.Client>((resolve, reject) => {
    let refused: Error | undefined;
    let trusted: Buffer | undefined;
    let loggingIn = false;
    const fail = (error: Error): void => {
      options.signal?.removeEventListener('abort', abort);
      client.removeAllListeners('close');
      client.destroy();
      reject(error);
    };
    const abort = (): void => fail(options.signal?.reason as Error);
    options.signal?.addEventListener('abort', abort, { once: true });
    client.on('handshake', () => {
      loggingIn = true;
    });
    client.on('error', (error: Error & { level?: string }) => {
      if (error.level === 'agent') return auth.note(`agent (${error.message})`);
      if (refused) return fail(refused);
      if (isSignatureProblem(error)) return auth.note(error.message);
      const rejected = loggingIn && (error.level === 'client-authentication' || isDisconnect(error));
      return fail(rejected ? auth.failure(error) : failure(error));
    });
    client.on('end', () => client.destroy());
    client.on('close', () => fail(refused ?? failure(new Error('the connection was closed during login'))));
    client.on('ready', () => {
      options.signal?.removeEventListener('abort', abort);
      client.removeAllListeners();
      client.on('error', () => undefined);
      tuneCipher(client);
      // Keys are changed now and then.
      client.on('handshake', () => tuneCipher(client));
      resolve(client);
    });
    client.connect({
      sock: gatherWrites(sock),
      username: target.user,
      readyTimeout: leftMs,
      keepaliveInterval: options.keepaliveMs ?? DEADLINES.keepaliveMs,
      keepaliveCountMax: KEEPALIVES_MISSED,
      algorithms: { serverHostKey: hostKey.algorithms as ssh2.ServerHostKeyAlgorithm[], cipher: CIPHERS },
      authHandler: auth.handler,
      hostVerifier: (key: Buffer, verified: (good: boolean) => void) => {
        // Shown again at every change of keys. There ssh2 does not wait for an answer that comes later.
        if (trusted) return verified(trusted.equals(key));
        hostKey.verify(key).then(
          (error) => {
            refused = error;
            if (!error) trusted = Buffer.from(key);
            verified(error === undefined);
          },
          (error: Error) => {
            refused = error;
            verified(false);
          },
        );
        return undefined;
      },
    });
  });
}

/** A key that could not sign: ssh2 reports it and goes on to the next method. */
function isSignatureProblem(error: Error & { level?: string }): boolean {
  return error.level === 'client-authentication' && error.message.startsWith('Error');
}

/** The server said goodbye, such as `Too many authentication failures`. */
function isDisconnect(error: Error): boolean {
  return typeof (error as { code?: unknown }).code === 'number';
}
