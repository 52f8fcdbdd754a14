import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../connector/connection.ts';
import { type Deadlines, silenceMs } from '../model/deadlines.ts';
import { KubexmError } from '../model/errors/index.ts';
import { isRefusedHost } from '../model/errors/refused-host.ts';
import type { Output } from '../model/host.ts';
import { unlessAborted } from '../model/unless-aborted.ts';
import { within } from '../model/within.ts';
import { isSilent, noShell } from './link-errors.ts';
import { type LoggedIn, type LoginOptions, logIn } from './login.ts';
import { MainShell } from './main-shell.ts';
import { type RestoreHook, reopenShell } from './reopen.ts';
import { type Places, Shell, ShellEnded, type ShellInfo, ShellSilent } from './shell.ts';

/** How often in a row a connection may break under the same question. */
export const MAX_CUTS = 5;

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
  readonly deadlines: Deadlines;
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
      const { deadlines } = options;
      const shell = new Shell(session, options, () => !connection.alive, deadlines);
      const { factsMs } = deadlines;
      const answers = within(first(shell), factsMs, () => new ShellSilent('its facts were not read', factsMs));
      const [info, result] = await unlessAborted(Promise.all([shell.info, answers]), options.login.signal);
      const main = new MainShell(connection, shell, info, { ...options, pty: session.pty });
      return { link: new Link(options, main, session.pty), first: result };
    } catch (error) {
      await connection.close();
      throw noShell(options.login.host, error);
    }
  }

  get host(): string {
    return this.#options.login.host;
  }

  get deadlines(): Deadlines {
    return this.#options.deadlines;
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
    for (let tries = 1; ; tries++) {
      const { connection } = await this.#ready(signal);
      try {
        const session = await logIn(connection, { ...this.#options.login, ...(signal && { signal }) }, this.#pty);
        return { ...session, connection };
      } catch (error) {
        signal?.throwIfAborted();
        if ((await this.fate(connection)) === 'there' || tries >= MAX_CUTS) throw noShell(this.host, error);
      }
    }
  }

  /**
   * What became of a connection on which something went wrong. One that is not there any more has been replaced when this
   * returns; throws if the host is lost. Keepalives and the persistent shell tell, whichever does so first.
   */
  async fate(connection: Connection): Promise<'there' | 'cut'> {
    const main = await this.#ready(undefined);
    if (main.connection !== connection) return 'cut';
    const timeoutMs = this.#options.deadlines.sideMs;
    const asked = this.#callOn(main, [':'], { timeoutMs });
    const told = asked.then(
      () => 'there' as const,
      () => 'cut' as const,
    );
    const silence = new AbortController();
    const long = sleep(silenceMs(this.#options.deadlines), 'there' as const, { signal: silence.signal });
    const answer = await Promise.race([told, connection.closed.then(() => 'cut' as const), long]);
    silence.abort();
    long.catch(() => undefined);
    if (answer === 'there') return answer;
    if (!connection.alive) await main.shell.ended;
    this.#replace(main);
    return (await this.#ready(undefined)).connection === connection ? 'there' : 'cut';
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
    for (let [deaths, cuts] = [0, 0]; ; ) {
      const main = await this.#ready(options.signal);
      try {
        return await this.#callOn(main, scripts, options);
      } catch (error) {
        if (!(error instanceof ShellEnded)) throw error;
        this.#replace(main);
        if (!error.begun) continue;
        const next = await this.#ready(options.signal);
        const cut = next.connection !== main.connection;
        // A probe that kills its shell or its connection would do so for ever.
        if (again && (cut ? ++cuts < MAX_CUTS : deaths++ === 0)) continue;
        if (cut) throw again ? this.#error('KX3019', { count: cuts }) : this.#error('KX3011', {});
        throw this.#error('KX3031', { reason: error.message });
      }
    }
  }

  async #callOn(main: MainShell, scripts: readonly string[], options: AskOptions): Promise<readonly Output[]> {
    const {
      signal,
      timeoutMs = this.#options.deadlines.callMs,
      maxBytes = 1024 * 1024,
      here = false,
      awayMs = 0,
    } = options;
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
    return unlessAborted(this.#usable, signal);
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
    const { reconnectMs, reopenMs } = this.#options.deadlines;
    const { signal } = this.#options.login;
    const since = Date.now();
    this.#awayUntil = Math.max(this.#awayUntil, Date.now() + reconnectMs);
    // One attempt that hangs must not use up the whole window.
    const attemptMs = Math.max(1000, reconnectMs / 4);
    const reason = await old.shell.ended;
    this.#options.onEvent?.({ type: 'cut', reason });
    let connection = old.connection.alive ? old.connection : undefined;
    for (let pause = 50; ; pause = Math.min(pause * 2, 2000)) {
      try {
        signal?.throwIfAborted();
        connection ??= await this.#options.dial(attemptMs);
        const leftMs = Math.max(attemptMs, Math.min(reopenMs, this.#awayUntil - Date.now()));
        const start = { ...this.#options, pty: this.#pty };
        const main = await reopenShell(connection, start, old, this.restoreHook, leftMs);
        if (this.#closed) throw new Error('closed');
        this.#main = main;
        this.#watch(main);
        this.#options.onEvent?.({ type: 'restored' });
        return main;
      } catch (error) {
        // A shell that hangs may hang with its connection.
        if (isSilent(error)) await connection?.close();
        if (connection && !connection.alive) connection = undefined;
        const isOver = this.#closed || signal?.aborted || isRefusedHost(error);
        if (!isOver && Date.now() + pause < this.#awayUntil) {
          // An abort ends the pause; the next attempt notices it.
          await sleep(pause, undefined, { signal }).catch(() => undefined);
          continue;
        }
        await connection?.close();
        throw this.#lost(error as Error, since);
      }
    }
  }

  #lost(error: Error, since: number): Error {
    this.#options.onEvent?.({ type: 'lost', reason: error.message });
    if (isRefusedHost(error)) return error;
    const seconds = Math.round((Date.now() - since) / 100) / 10;
    return this.#error('KX3012', { seconds, reason: error.message }, error);
  }

  #error(
    code: 'KX3011' | 'KX3012' | 'KX3019' | 'KX3030' | 'KX3031',
    params: Record<string, string | number>,
    cause?: Error,
  ): Error {
    const { host } = this;
    return new KubexmError(code, { host, ...params }, { host, ...(cause && { cause }) });
  }
}
