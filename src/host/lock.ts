import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStart } from '../local/process-identity.ts';
import { awayMs } from '../model/deadlines.ts';
import { type KubexmError, kubexmError } from '../model/errors/index.ts';
import type { LockOwner, Output } from '../model/host.ts';
import { quote } from '../model/script.ts';
import type { Link } from './link.ts';

/** A lock as others see it. */
export interface LockState {
  /** Undefined when the record cannot be read. */
  readonly owner: LockOwner | undefined;
  /** Seconds since the owner was last heard of. */
  readonly silentSeconds: number;
  /** Jobs that still run there. */
  readonly jobs: readonly { readonly key: string; readonly ageSeconds: number }[];
}

interface Told extends LockState {
  readonly answer: string;
  readonly token: string;
}

/** How long a lock without a record may be on its way. */
const SETTLE_MS = 3000;

/** This process's hold on a machine. */
export class MachineLock {
  readonly #link: Link;
  readonly #beatMs: number;
  readonly #token = randomBytes(12).toString('base64url');
  #timer: NodeJS.Timeout | undefined;
  #beating = false;

  constructor(link: Link) {
    this.#link = link;
    this.#beatMs = link.deadlines.heartbeatMs;
  }

  /** Takes the lock, from a dead owner too, or says who has it. */
  async take(owner: LockOwner): Promise<void> {
    const began = Date.now();
    const [stale, away] = [hundredths(this.#beatMs * 3), hundredths(awayMs(this.#link.deadlines))];
    const [run, json] = [owner.run, JSON.stringify(owner)];
    let force = '';
    let boot: string;
    for (;;) {
      const take = script('kx_lock_take', this.#token, run, stale, force, json, away);
      const told = tell(await this.#link.query(take, { here: true }));
      boot = told.token;
      if (told.answer === 'taken') break;
      if (told.answer === 'job') throw this.#jobLives(told);
      const waited = Date.now() - began;
      if (told.token === '-' ? waited > SETTLE_MS : !diedHere(told.owner, owner)) throw this.#held(told);
      // Its process is gone; its shell may still be ending the last command. Once it is silent for long, we end it.
      if (waited > this.#beatMs * 3 + 10_000) throw this.#held(told);
      force = told.token;
      await sleep(waited < 500 ? 50 : 300);
    }
    this.#link.restoreHook = async (call) => {
      const told = tell(await call(script('kx_lock_retake', boot, this.#token, run, stale, json, away)));
      if (told.answer !== 'taken') throw this.#takenOver(told);
    };
    this.#timer = setInterval(() => void this.#beat(), this.#beatMs).unref();
  }

  /** Gives the lock back. */
  async drop(): Promise<void> {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#link.restoreHook = undefined;
    await this.#link.query(script('kx_lock_drop', this.#token), { here: true });
  }

  /** A long command must not make us look dead: then the second shell says that we live. */
  async #beat(): Promise<void> {
    if (this.#beating) return;
    this.#beating = true;
    try {
      const beat = script('kx_lock_beat', this.#token);
      const asked = this.#link.query(beat);
      asked.catch(() => undefined);
      let answer = await Promise.race([asked, sleep(Math.min(1000, this.#beatMs / 2), undefined, { ref: false })]);
      answer ??= await this.#link.aside(beat);
      if (answer.stdout.trim() === 'lost' && this.#timer) await this.#lost();
    } catch {
      // The link itself is waiting for the machine to come back, or has given up and says so to everyone.
    } finally {
      this.#beating = false;
    }
  }

  async #lost(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    const told = tell(await this.#link.query('kx_lock_show'));
    this.#link.fail(this.#takenOver(told));
  }

  #held(told: Told): KubexmError {
    const { host } = this.#link;
    const { run = '?', pipeline = '?', user = '?', machine = '?', since = '?' } = told.owner ?? {};
    return kubexmError('KX3101', { host, run, pipeline, user, machine, since }, { host });
  }

  #jobLives(told: Told): KubexmError {
    const { host } = this.#link;
    const { key: job = '?', ageSeconds: age = 0 } = told.jobs[0] ?? {};
    // A job tells by its name whose it is, also when nobody holds the lock any more.
    const { run = job.split('.')[0] ?? '?', user = '?', machine = '?' } = told.owner ?? {};
    return kubexmError('KX3102', { host, run, user, machine, job, age }, { host });
  }

  #takenOver(told: Told): KubexmError {
    const { host } = this.#link;
    const { run = '?', user = '?', machine = '?' } = told.owner ?? {};
    const by = told.owner ? `run ${run} (${user}@${machine})` : 'kubexm unlock';
    return kubexmError('KX3103', { host, by }, { host });
  }
}

function hundredths(ms: number): string {
  return String(Math.ceil(ms / 10));
}

/** Who holds a machine's lock; undefined when nobody does. */
export async function readLock(link: Link): Promise<LockState | undefined> {
  const told = tell(await link.query('kx_lock_show'));
  return told.answer === '' ? undefined : told;
}

/** Takes the lock from its holder. Refused while a job lives, unless forced. */
export async function breakLock(link: Link, force: boolean): Promise<boolean> {
  const told = tell(await link.query('kx_lock_show'));
  if (told.answer === '') return false;
  const [job] = told.jobs;
  if (job && !force) {
    const { run = '?', user = '?', machine = '?' } = told.owner ?? {};
    const params = { host: link.host, run, user, machine, job: job.key, age: job.ageSeconds };
    throw kubexmError('KX3102', params, { host: link.host });
  }
  const output = await link.query(script('kx_lock_break', told.token));
  return output.code === 0;
}

function script(name: string, ...words: readonly string[]): string {
  return [name, ...words.map(quote)].join(' ');
}

function tell(output: Output): Told {
  const [first = '', json = '', ...jobs] = output.stdout.split('\n');
  const [answer = '', token = '-', silent] = first.split(' ');
  return {
    answer,
    token,
    silentSeconds: Number(silent ?? 0) / 100,
    owner: parseOwner(json),
    jobs: jobs.filter(Boolean).map((line) => {
      const [key = '', age] = line.split(' ');
      return { key, ageSeconds: Number(age) };
    }),
  };
}

function parseOwner(json: string): LockOwner | undefined {
  try {
    return JSON.parse(json) as LockOwner;
  } catch {
    return undefined;
  }
}

/** The owner ran on this very machine, and its process is no more: its number may be another one's by now. */
function diedHere(owner: LockOwner | undefined, self: LockOwner): boolean {
  if (!owner || owner.machine !== self.machine) return false;
  try {
    process.kill(owner.pid, 0);
    // Where nobody can look at others' processes, one that is there counts as the owner.
    const now = processStart(owner.pid);
    return now !== undefined && owner.started !== undefined && now !== owner.started;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
