import type { Duplex, Readable, Writable } from 'node:stream';

/** How a command is started. */
export interface ExecOptions {
  /** Give it a terminal: for a sudo that insists on one. stdout and stderr then come as one. */
  readonly pty?: boolean;
  readonly signal?: AbortSignal;
  /** Another one runs all the while: where the server starts no second one, this fails rather than wait for ever. */
  readonly beside?: boolean;
}

/** How a command ended: by itself, by a signal, or unknown because the connection broke. */
export interface Exit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

/** A running command. */
export interface Channel {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the command has ended or the connection broke. Never rejects. */
  readonly exit: Promise<Exit>;
  /** Lets go of the command at once. */
  close(): void;
}

/** A way to start commands on one machine. */
export interface Connection {
  /** Starts a command through the user's login shell. */
  exec(command: string, options?: ExecOptions): Promise<Channel>;
  /** Opens a TCP connection from that machine. */
  forwardOut(address: string, port: number): Promise<Duplex>;
  /** Whether it is usable, as far as is known. */
  readonly alive: boolean;
  /** Settles when it is gone, with the reason unless `close` was called. Never rejects. */
  readonly closed: Promise<Error | undefined>;
  close(): Promise<void>;
}
