import type { Facts } from './facts.ts';
import type { LeftReport } from './report.ts';
import type { Script } from './script.ts';

/** The machine kubexm itself runs on, as a host of a plan. */
export const LOCAL = 'local';

/** What a finished command left behind. */
export interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as it came: for what is not text. */
  readonly bytes: Uint8Array;
  /** Set when more was printed than was asked for. */
  readonly truncated: boolean;
  /** What it reported (`kx_report`), if anything. */
  readonly reports?: readonly LeftReport[];
}

/** How a command is run. */
export interface RunOptions {
  /** After this the command's whole process tree is killed. Default 60. */
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
  /** How much of each stream is returned. Default 1 MiB. */
  readonly maxBytes?: number;
  /** The machine may go away for so long from now on: it is about to restart. */
  readonly awaySeconds?: number;
}

/** Bytes sent or received so far. */
export type Progress = (done: number, total: number | undefined) => void;

/** How a file is put on a machine. */
export interface PutOptions {
  readonly mode?: string;
  readonly owner?: string;
  /** sha256 of the content in hex, checked on the machine before the file gets its name. */
  readonly sha256?: string;
  readonly signal?: AbortSignal;
  readonly progress?: Progress;
}

/** How a file is fetched from a machine. */
export interface GetOptions extends PutOptions {
  /** A bigger file is refused, and never more than this is taken: a host could send without end. Default 256 MiB. */
  readonly maxBytes?: number;
}

/** What a step may do to a machine. Everything runs as root with a fixed environment. */
export interface Host {
  readonly name: string;
  readonly facts: Facts;
  /** Runs a short command in the persistent shell. A non-zero exit is a result, not an error. */
  run(script: Script, options?: RunOptions): Promise<Output>;
  /** Writes a file atomically. */
  write(path: string, content: string | Uint8Array, options?: PutOptions): Promise<void>;
  /** Sends a file of this machine: streamed, resumable, checked by digest. */
  put(localPath: string, path: string, options?: PutOptions): Promise<void>;
  /** Brings a file to this machine, atomically, mode 0600 by default. */
  get(path: string, localPath: string, options?: GetOptions): Promise<void>;
}

/** A long command that outlives the connection. */
export interface Job {
  /** Names the job for good: the same key never starts twice. `[A-Za-z0-9._-]+` */
  readonly key: string;
  readonly script: Script;
  readonly timeoutSeconds: number;
  readonly signal?: AbortSignal;
  /** Called with the last line printed, now and then. */
  readonly onLine?: (line: string) => void;
}

/** How a job ended. */
export interface JobResult extends Output {
  /** The job was already there: running or ended. */
  readonly attached: boolean;
}

/** Who holds a machine. */
export interface LockOwner {
  readonly run: string;
  readonly cluster: string;
  readonly pipeline: string;
  readonly user: string;
  readonly machine: string;
  readonly pid: number;
  /** When the process started, as its system counts, where it tells: process ids are used again. */
  readonly started?: string;
  readonly since: string;
}

/** What the engine needs from a machine, beside what steps may do. */
export interface Machine extends Host {
  /**
   * Runs read-only probes in one round trip. Calls are queued in order without waiting for each other's answers.
   * After a cut connection they are simply asked again.
   */
  batch(probes: readonly Script[], options?: RunOptions): Promise<readonly Output[]>;
  /** Starts a job, or attaches to the one with that key, and waits for its end, across reconnects. */
  job(job: Job): Promise<JobResult>;
  /** Forgets an ended job's record. */
  forgetJob(key: string): Promise<void>;
  /** Takes the machine's lock or throws KX3101 with the owner's identity. Keeps it alive until `unlock`. */
  lock(owner: LockOwner): Promise<void>;
  unlock(): Promise<void>;
  close(): Promise<void>;
}

/** An output for tests and for steps that make one up. */
export function output(code: number, stdout = '', stderr = ''): Output {
  return { code, stdout, stderr, bytes: Buffer.from(stdout), truncated: false };
}
