import type { Facts } from '../model/facts.ts';
import type { GetOptions, Job, JobResult, LockOwner, Machine, Output, PutOptions, RunOptions } from '../model/host.ts';
import type { Script } from '../model/script.ts';
import { getFile } from './get.ts';
import { forgetJob, runJob } from './jobs.ts';
import type { AskOptions, Link } from './link.ts';
import { breakLock, type LockState, MachineLock, readLock } from './lock.ts';
import { putFile, writeContent } from './put.ts';

/** A machine over a link: what the engine works with. */
export class LinkedMachine implements Machine {
  readonly facts: Facts;
  readonly #link: Link;
  #lock: MachineLock | undefined;

  constructor(link: Link, facts: Facts) {
    this.#link = link;
    this.facts = facts;
  }

  get name(): string {
    return this.#link.host;
  }

  /** Where before-images are kept there. */
  get stateDir(): string {
    return this.#link.info.stateDir;
  }

  /** Where jobs and the lock are kept there. */
  get runDir(): string {
    return this.#link.info.runDir;
  }

  run(script: Script, options: RunOptions = {}): Promise<Output> {
    return this.#link.run(script.script, askOptions(options));
  }

  async batch(probes: readonly Script[], options: RunOptions = {}): Promise<readonly Output[]> {
    if (probes.length === 0) return [];
    return this.#link.ask(
      probes.map((probe) => probe.script),
      askOptions(options),
    );
  }

  write(path: string, content: string | Uint8Array, options: PutOptions = {}): Promise<void> {
    return writeContent(this.#link, path, typeof content === 'string' ? Buffer.from(content) : content, options);
  }

  put(localPath: string, path: string, options: PutOptions = {}): Promise<void> {
    return putFile(this.#link, localPath, path, options);
  }

  get(path: string, localPath: string, options: GetOptions = {}): Promise<void> {
    return getFile(this.#link, path, localPath, options);
  }

  job(job: Job): Promise<JobResult> {
    return runJob(this.#link, job);
  }

  forgetJob(key: string): Promise<void> {
    return forgetJob(this.#link, key);
  }

  async lock(owner: LockOwner): Promise<void> {
    const lock = new MachineLock(this.#link);
    await lock.take(owner);
    this.#lock = lock;
  }

  async unlock(): Promise<void> {
    const lock = this.#lock;
    this.#lock = undefined;
    await lock?.drop();
  }

  /** Who holds the machine; undefined when nobody does. */
  readLockOwner(): Promise<LockState | undefined> {
    return readLock(this.#link);
  }

  /** Takes the lock of the machine from its holder: false when it is free. Refused (KX3102) while a job lives, unless forced. */
  breakLock(options: { readonly force?: boolean } = {}): Promise<boolean> {
    return breakLock(this.#link, options.force ?? false);
  }

  /** Gives the lock back, if it is held, and leaves. */
  async close(): Promise<void> {
    await this.unlock().catch(() => undefined);
    await this.#link.close();
  }
}

function askOptions(options: RunOptions): AskOptions {
  return {
    timeoutMs: options.timeoutSeconds === undefined ? undefined : options.timeoutSeconds * 1000,
    maxBytes: options.maxBytes,
    signal: options.signal,
    awayMs: options.awaySeconds === undefined ? undefined : options.awaySeconds * 1000,
  };
}
