import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../connector/connection.ts';
import { KubexmError, kubexmError } from '../model/errors/index.ts';
import type { Output } from '../model/host.ts';
import { quote } from '../model/script.ts';
import { type LoggedIn, type LoginOptions, logIn } from './login.ts';
import { MainShell } from './main-shell.ts';
import { type Places, Shell, ShellEnded, type ShellInfo } from './shell.ts';

/** What became of the way to a machine. */
export type LinkEvent =
  | { readonly type: 'cut'; readonly reason: string }
  | { readonly type: 'restored' }
  | { readonly type: 'lost'; readonly reason: string };

/** How a machine is reached and kept. */
export interface LinkOptions extends Places {
  readonly login: LoginOptions;
  /** Makes a connection. Called again after a cut. */
  readonly dial: (timeoutMs: number | undefined) => Promise<Connection>;
  /** How long a machine may stay away before it counts as lost. */
  readonly reconnectMs: number;
  readonly onEvent?: ((event: LinkEvent) => void) | undefined;
}

/** How scripts are run over a link. */
export interface AskOptions {
  readonly timeoutMs?: number | undefined;
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** In the persistent shell itself. */
  readonly here?: boolean;
  /** The machine may be away for so long from now on. */
  readonly awayMs?: number | undefined;
}

/** A script to run in a fresh shell before anybody else: takes the lock again. */
export type RestoreHook = (run: (script: string) => Promise<Output>) => Promise<void>;

/** Keeps one persistent root shell on a machine, across broken shells and connections. */
export class Link {
  /** Run after every reconnect, before anything else is. */
  restoreHook: RestoreHook | undefined;
  readonly #options: LinkOptions;
  #main: MainShell;
  #usable: Promise<MainShell>;
  #pty: boolean;
  #restoring: MainShell | undefined;
  #closed = false;
  /** Until then a machine that is away is waited for. */
  #awayUntil = 0;

  private constructor(options: LinkOptions, main: MainShell, pty: boolean) {
    this.#options = options;
    this.#main = main;
    this.#pty = pty;
    this.#usable = Promise.resolve(main);
    this.#watch(main);
  }

  /** Connects, logs in and starts the shell. `first` sends its calls in the same round trip. */
  static async open<T>(options: LinkOptions, first: (shell: Shell) => Promise<T>): Promise<{ link: Link; first: T }> {
    const connection = await options.dial(undefined);
    try {
      const session = await logIn(connection, options.login);
      const shell = new Shell(session, options, () => !connection.alive);
      const answers = first(shell);
      const [info, result] = await Promise.all([shell.info, answers]);
      const main = new MainShell(connection, shell, info, { ...options, pty: session.pty });
      return { link: new Link(options, main, session.pty), first: result };
    } catch (error) {
      await connection.close();
      throw error instanceof ShellEnded ? noShell(options.login.host, error) : error;
    }
  }

  get host(): string {
    return this.#options.login.host;
  }

  get info(): ShellInfo {
    return this.#main.info;
  }

  /** Runs scripts that may be run twice: after a cut they are simply asked again. */
  ask(scripts: readonly string[], options: AskOptions = {}): Promise<readonly Output[]> {
    return this.#submit(scripts, options, true);
  }

  /** Like `ask`, for one script. */
  async query(script: string, options: AskOptions = {}): Promise<Output> {
    const [output] = await this.#submit([script], options, true);
    return output as Output;
  }

  /** Runs one script once: if a cut leaves open how far it came, that is an error. */
  async run(script: string, options: AskOptions = {}): Promise<Output> {
    const [output] = await this.#submit([script], options, false);
    return output as Output;
  }

  /** Runs a short script beside the persistent shell, when that is busy. */
  async aside(script: string): Promise<Output> {
    const main = await this.#ready(undefined);
    return main.aside(script);
  }

  /** A channel of its own, as root, waiting for one line to run. */
  async stream(signal: AbortSignal | undefined): Promise<LoggedIn & { readonly connection: Connection }> {
    const { connection } = await this.#ready(signal);
    const session = await logIn(connection, { ...this.#options.login, ...(signal && { signal }) }, this.#pty);
    return { ...session, connection };
  }

  /** Nothing more may be done on the machine: every call from now on fails with this. */
  fail(error: Error): void {
    this.#restoring = this.#main;
    this.#usable = Promise.reject(error);
    this.#usable.catch(() => undefined);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#main.close();
  }

  async #submit(scripts: readonly string[], options: AskOptions, again: boolean): Promise<readonly Output[]> {
    for (let deaths = 0; ; ) {
      const main = await this.#ready(options.signal);
      try {
        return await this.#callOn(main, scripts, options);
      } catch (error) {
        if (!(error instanceof ShellEnded)) throw error;
        this.#replace(main);
        if (!error.begun) continue;
        const next = await this.#ready(options.signal);
        const cut = next.connection !== main.connection;
        // A probe that kills its shell would do so forever.
        if (again && (cut || deaths++ === 0)) continue;
        throw cut ? this.#error('KX3011', {}) : this.#error('KX3031', { reason: error.message });
      }
    }
  }

  async #callOn(main: MainShell, scripts: readonly string[], options: AskOptions): Promise<readonly Output[]> {
    const { signal, timeoutMs = 60_000, maxBytes = 1024 * 1024, here = false, awayMs = 0 } = options;
    this.#awayUntil = Math.max(this.#awayUntil, Date.now() + awayMs);
    signal?.throwIfAborted();
    let stopped: 'timeout' | 'abort' | undefined;
    let timer: NodeJS.Timeout | undefined;
    const stop = (why: 'timeout' | 'abort'): void => {
      if (stopped) return;
      stopped = why;
      main.halt(call);
    };
    const call = main.shell.call(scripts, {
      maxBytes,
      here,
      onTurn: () => {
        timer = setTimeout(stop, timeoutMs, 'timeout');
      },
    });
    const abort = (): void => stop('abort');
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const outputs = await call.outputs;
      if (!stopped) return outputs as readonly Output[];
    } catch (error) {
      if (!stopped || (!main.connection.alive && !main.dropped)) throw error;
      // The new shell ends what the old one ran before anybody can use it.
      this.#replace(main);
      await this.#ready(undefined);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
    if (stopped === 'abort') throw signal?.reason;
    throw this.#error('KX3030', { seconds: Math.round(timeoutMs / 100) / 10 });
  }

  async #ready(signal: AbortSignal | undefined): Promise<MainShell> {
    if (this.#closed) throw this.#error('KX3012', { seconds: 0, reason: 'closed' });
    if (!signal) return this.#usable;
    signal.throwIfAborted();
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([this.#usable, promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #watch(main: MainShell): void {
    void main.shell.ended.then(() => this.#replace(main));
  }

  /** Starts to look for a new shell, once for each that ended. */
  #replace(main: MainShell): void {
    if (main !== this.#main || main.shell.alive || this.#closed || this.#restoring === main) return;
    this.#restoring = main;
    this.#usable = this.#restore(main);
    this.#usable.catch(() => undefined);
  }

  async #restore(old: MainShell): Promise<MainShell> {
    this.#awayUntil = Math.max(this.#awayUntil, Date.now() + this.#options.reconnectMs);
    // One attempt that hangs must not use up the whole window.
    const attemptMs = Math.max(1000, this.#options.reconnectMs / 4);
    const reason = await old.shell.ended;
    this.#options.onEvent?.({ type: 'cut', reason });
    let connection = old.connection.alive ? old.connection : undefined;
    for (let pause = 50; ; pause = Math.min(pause * 2, 2000)) {
      try {
        connection ??= await this.#options.dial(attemptMs);
        const main = await this.#reopen(connection, old);
        if (this.#closed) throw new Error('closed');
        this.#main = main;
        this.#watch(main);
        this.#options.onEvent?.({ type: 'restored' });
        return main;
      } catch (error) {
        if (connection && !connection.alive) connection = undefined;
        if (!this.#closed && !isFinal(error) && Date.now() + pause < this.#awayUntil) {
          await sleep(pause);
          continue;
        }
        await connection?.close();
        throw this.#lost(error as Error);
      }
    }
  }

  async #reopen(connection: Connection, old: MainShell): Promise<MainShell> {
    const session = await logIn(connection, this.#options.login, this.#pty);
    const shell = new Shell(session, this.#options, () => !connection.alive);
    const run = async (script: string): Promise<Output> => {
      const [output] = await shell.call([script], { maxBytes: 65_536, here: true }).outputs;
      return output as Output;
    };
    try {
      // Whatever the old shell still ran must have ended before anybody looks at the machine again.
      const [info] = await Promise.all([shell.info, run(`kx_reap ${quote(old.info.dir)}`)]);
      await this.restoreHook?.(run);
      return new MainShell(connection, shell, info, { ...this.#options, pty: this.#pty });
    } catch (error) {
      shell.abandon();
      throw error;
    }
  }

  #lost(error: Error): Error {
    this.#options.onEvent?.({ type: 'lost', reason: error.message });
    if (isFinal(error)) return error;
    const seconds = Math.round(this.#options.reconnectMs / 100) / 10;
    return this.#error('KX3012', { seconds, reason: error.message }, error);
  }

  #error(
    code: 'KX3011' | 'KX3012' | 'KX3030' | 'KX3031',
    params: Record<string, string | number>,
    cause?: Error,
  ): Error {
    const { host } = this;
    return new KubexmError(code, { host, ...params }, { host, ...(cause && { cause }) });
  }
}

/** Waiting does not mend these: a changed or revoked host key, a lock that is someone else's now. */
function isFinal(error: unknown): boolean {
  return error instanceof KubexmError && ['KX3005', 'KX3006', 'KX3007', 'KX3103'].includes(error.code);
}

function noShell(host: string, error: ShellEnded): KubexmError {
  return kubexmError('KX3020', { host, reason: error.message }, { host, cause: error });
}
