import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../connector/connection.ts';
import type { Deadlines } from '../model/deadlines.ts';
import type { Output } from '../model/host.ts';
import { quote } from '../model/script.ts';
import { within } from '../model/within.ts';
import { type LoginOptions, logIn } from './login.ts';
import { type Call, type Places, Shell, type ShellInfo, ShellSilent } from './shell.ts';

/** How shells are started on a machine. */
export interface ShellStart extends Places {
  readonly login: LoginOptions;
  /** sudo there insists on a terminal. */
  readonly pty: boolean;
  readonly deadlines: Deadlines;
}

/** The part of the time for stopping a command in which only the command is killed; then its shell is. */
const GENTLE = 0.4;
/** How long the second shell stays unused: it takes a session that others may wait for. */
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
    const side = this.#side;
    const { sideMs } = this.#start.deadlines;
    const asked = side.then((shell) => shell.call([script], { maxBytes: 65_536 }).outputs);
    try {
      const [output] = await within(asked, sideMs, () => new ShellSilent('no second shell answers', sideMs));
      clearTimeout(this.#sideTimer);
      this.#sideTimer = setTimeout(() => void side.then((shell) => shell.close()), SIDE_IDLE_MS).unref();
      return output as Output;
    } catch (error) {
      // A shell that does not answer is of no use to the next caller.
      if (this.#side === side) this.#side = undefined;
      void side.then((shell) => shell.abandon()).catch(() => undefined);
      throw error;
    }
  }

  #openSide(): Promise<Shell> {
    const side = this.#startSide();
    const forget = (): void => {
      if (this.#side === side) this.#side = undefined;
    };
    side.then((shell) => void shell.ended.then(forget), forget);
    return side;
  }

  async #startSide(): Promise<Shell> {
    const { login, deadlines, pty } = this.#start;
    const signal = AbortSignal.timeout(deadlines.sideMs);
    const session = await logIn(this.connection, { ...login, signal, beside: true }, pty);
    return new Shell(session, this.#start, () => !this.connection.alive, deadlines);
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
    const { haltMs } = this.#start.deadlines;
    const began = Date.now();
    for (let round = 0; this.#halting.size > 0 && this.shell.alive; round++) {
      const spent = Date.now() - began;
      if (spent > haltMs) return this.#drop();
      try {
        const ids = [...this.#halting].join(' ');
        const script = spent < haltMs * GENTLE ? `kx_stop ${quote(dir)} ${pid} ${ids}` : `kx_reap ${quote(dir)}`;
        await this.aside(script);
      } catch {
        // Without a second shell nobody can end what a session runs: only a new connection can.
        return this.#drop();
      }
      await sleep(Math.min(250, 10 * 2 ** round));
    }
  }

  async #drop(): Promise<void> {
    this.#dropped = true;
    await this.connection.close();
  }

  async close(): Promise<void> {
    clearTimeout(this.#sideTimer);
    if (this.connection.alive) {
      await Promise.all([this.shell.close(), this.#side?.then((side) => side.close()).catch(() => undefined)]);
    }
    await this.connection.close();
  }
}
