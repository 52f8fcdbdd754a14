import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type ssh2 from 'ssh2';
import { DEADLINES, type Deadlines } from '../../model/deadlines.ts';
import { kubexmError } from '../../model/errors/index.ts';
import { within } from '../../model/within.ts';
import type { Channel, Connection, ExecOptions, Exit } from '../connection.ts';
import { ChannelGate } from './channels.ts';

/** OpenSSH opens 10 sessions by default; some are left for others. */
const CHANNELS = 8;

/** A logged-in SSH connection. */
export class SshConnection implements Connection {
  readonly closed: Promise<Error | undefined>;
  readonly #client: ssh2.Client;
  readonly #name: string;
  readonly #deadlines: Deadlines;
  readonly #gate = new ChannelGate(CHANNELS);
  readonly #over: () => void;
  #alive = true;
  #asked = false;
  #error: Error | undefined;

  constructor(client: ssh2.Client, name: string, deadlines: Deadlines = DEADLINES) {
    this.#client = client;
    this.#name = name;
    this.#deadlines = deadlines;
    client.on('error', (error) => {
      this.#error ??= error;
    });
    const { promise, resolve } = Promise.withResolvers<Error | undefined>();
    this.closed = promise;
    this.#over = () => {
      this.#alive = false;
      resolve(this.#asked ? undefined : (this.#error ?? new Error('the connection was closed')));
    };
    client.once('close', this.#over);
    // Behind a bastion the end of what the server sends is all there is: the way to it stays open, and its keepalive stops.
    client.once('end', () => {
      this.#over();
      client.destroy();
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  async exec(command: string, options: ExecOptions = {}): Promise<Channel> {
    const { sessionMs } = this.#deadlines;
    const giveUp = Date.now() + sessionMs;
    const patience = AbortSignal.timeout(sessionMs);
    const signal = options.signal ? AbortSignal.any([options.signal, patience]) : patience;
    // A server may count a session a little longer than we do: several refusals make it a rule.
    let alone = 0;
    for (let pause = 50; ; pause = Math.min(pause * 2, 1000)) {
      if (options.beside && this.#gate.single) throw this.#full('no second session');
      await this.#enter(signal, options.signal);
      try {
        return await this.#open(command, options);
      } catch (error) {
        if (!isOpenFailure(error)) {
          this.#gate.failed();
          throw error;
        }
        this.#gate.refused();
        if (this.#gate.empty) alone++;
        if (alone > 4 || Date.now() > giveUp) throw this.#full((error as Error).message);
        await sleep(pause, undefined, { signal });
      }
    }
  }

  async #enter(signal: AbortSignal, asked: AbortSignal | undefined): Promise<void> {
    try {
      await this.#gate.enter(signal);
    } catch (error) {
      if (asked?.aborted) throw asked.reason;
      throw this.#full((error as Error).message);
    }
  }

  #full(reason: string): Error {
    return kubexmError('KX3015', { host: this.#name, reason }, { host: this.#name });
  }

  async #open(command: string, options: ExecOptions): Promise<Channel> {
    let givenUp = false;
    const opening = new Promise<Channel>((resolve, reject) => {
      // A closed connection calls nobody back in some states; the close itself must settle this.
      void this.closed.then((error) => reject(error ?? new Error('the connection is closed')));
      this.#client.exec(command, options.pty ? { pty: { term: 'dumb' } } : {}, (error, stream) => {
        if (error) reject(error);
        else if (givenUp) stream.on('error', () => undefined).destroy();
        else resolve(this.#channel(stream));
      });
    });
    try {
      return await within(opening, this.#deadlines.channelMs, () => this.#silent(), options.signal);
    } catch (error) {
      givenUp = true;
      throw error;
    }
  }

  #silent(): Error {
    const params = { host: this.#name, seconds: this.#deadlines.channelMs / 1000, waiting: 'no session was opened' };
    return kubexmError('KX3018', params, { host: this.#name });
  }

  #channel(stream: ssh2.ClientChannel): Channel {
    this.#gate.opened();
    let code: number | undefined;
    let signal: string | undefined;
    stream.on('exit', (status: number | null, name?: string) => {
      code = status ?? undefined;
      signal = name;
    });
    stream.on('error', () => undefined);
    const { promise: exit, resolve } = Promise.withResolvers<Exit>();
    const over = (): void => resolve({ code, signal });
    stream.once('close', () => {
      this.#gate.closed();
      over();
    });
    // A connection that only ended closes nothing.
    void this.closed.then(over);
    const close = (): void => {
      stream.destroy();
      // A silent server does not confirm it, so the caller does not wait for that.
      over();
    };
    return { stdin: stream, stdout: stream, stderr: stream.stderr, exit, close };
  }

  forwardOut(address: string, port: number): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      void this.closed.then((error) => reject(error ?? new Error('the connection is closed')));
      this.#client.forwardOut('127.0.0.1', 0, address, port, (error, stream) => {
        if (error) reject(error);
        else resolve(stream);
      });
    });
  }

  async close(): Promise<void> {
    this.#asked = true;
    this.#client.end();
    const { disconnectMs } = this.#deadlines;
    const gone = await Promise.race([this.closed.then(() => true), sleep(disconnectMs, false, { ref: false })]);
    if (gone) return;
    this.#client.destroy();
    // Behind a silent bastion not even that is noticed.
    this.#over();
  }
}

function isOpenFailure(error: unknown): boolean {
  return error instanceof Error && 'reason' in error && error.message.includes('Channel open failure');
}
