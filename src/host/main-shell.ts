import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../connector/connection.ts';
import type { Output } from '../model/host.ts';
import { quote } from '../model/script.ts';
import { type LoginOptions, logIn } from './login.ts';
import { type Call, type Places, Shell, type ShellInfo } from './shell.ts';

/** How shells are started on a machine. */
export interface ShellStart extends Places {
  readonly login: LoginOptions;
  /** sudo there insists on a terminal. */
  readonly pty: boolean;
}

/** Rounds of gentle stopping before the shell itself is ended. */
const PATIENCE = 40;

/** How long the second shell may take to open: where others need all sessions, it never does. */
const SIDE_OPEN_MS = 5000;
/** How long it stays unused: it takes a session that others may wait for. */
const SIDE_IDLE_MS = 1500;

/** The persistent shell on a connection, and a second one beside it for when the first is busy. */
export class MainShell {
  readonly connection: Connection;
  readonly shell: Shell;
  readonly info: ShellInfo;
  readonly #start: ShellStart;
  readonly #halting = new Set<string>();
  #dropped = false;
  #side: Promise<Shell> | undefined;
  #sideTimer: NodeJS.Timeout | undefined;

  constructor(connection: Connection, shell: Shell, info: ShellInfo, start: ShellStart) {
    this.connection = connection;
    this.shell = shell;
    this.info = info;
    this.#start = start;
  }

  /** The connection was given up to stop a call. */
  get dropped(): boolean {
    return this.#dropped;
  }

  /** Runs a short script beside the persistent shell, in a second one that goes when it is no longer used. */
  async aside(script: string): Promise<Output> {
    clearTimeout(this.#sideTimer);
    this.#side ??= this.#openSide();
    const side = await this.#side;
    const [output] = await side.call([script], { maxBytes: 65_536 }).outputs;
    clearTimeout(this.#sideTimer);
    this.#sideTimer = setTimeout(() => void side.close(), SIDE_IDLE_MS).unref();
    return output as Output;
  }

  async #openSide(): Promise<Shell> {
    try {
      const login = { ...this.#start.login, signal: AbortSignal.timeout(SIDE_OPEN_MS), beside: true };
      const session = await logIn(this.connection, login, this.#start.pty);
      const shell = new Shell(session, this.#start, () => !this.connection.alive);
      void shell.ended.then(() => {
        this.#side = undefined;
      });
      return shell;
    } catch (error) {
      this.#side = undefined;
      throw error;
    }
  }

  /** Kills what a call runs, or keeps it from starting. The shell and the calls behind it go on. */
  halt(call: Call): void {
    const first = this.#halting.size === 0;
    this.#halting.add(call.id);
    const settled = (): void => {
      this.#halting.delete(call.id);
    };
    call.outputs.then(settled, settled);
    if (first) void this.#haltAll();
  }

  /** Calls that were aborted together are stopped together. */
  async #haltAll(): Promise<void> {
    const { dir, pid } = this.info;
    // One signal aborts many calls, one after the other: hear them all first.
    await Promise.resolve();
    for (let round = 0; this.#halting.size > 0 && this.shell.alive; round++) {
      try {
        const ids = [...this.#halting].join(' ');
        const script = round < PATIENCE ? `kx_stop ${quote(dir)} ${pid} ${ids}` : `kx_reap ${quote(dir)}`;
        await this.aside(script);
      } catch {
        // No second shell to be had, and a session is busy until its process ends: only a new connection can end it.
        this.#dropped = true;
        await this.connection.close();
        return;
      }
      await sleep(Math.min(250, 10 * 2 ** round));
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#sideTimer);
    if (this.connection.alive) {
      await Promise.all([this.shell.close(), this.#side?.then((side) => side.close()).catch(() => undefined)]);
    }
    await this.connection.close();
  }
}
