import { setTimeout as delay } from 'node:timers/promises';
import { KubexmError, kubexmError } from '../model/errors/index.ts';
import type { NodeRef } from '../model/event.ts';
import type { Job, Machine, Output } from '../model/host.ts';
import { type Script, sh } from '../model/script.ts';
import { type AnyStep, fieldOf } from '../plan/step.ts';
import { INTERRUPTED, isCode, isLost, keepsBreaking, TOO_LONG } from './errors.ts';
import type { ExecuteOptions } from './options.ts';

/** A step on a machine, with the want it is carried out for. */
export interface Work {
  readonly ref: NodeRef;
  readonly step: AnyStep;
  readonly want: unknown;
  readonly machine: Machine;
}

/** What came of work: a script's output, or what a step's own work returned. */
export interface Performed {
  readonly output: Output | undefined;
  readonly value: unknown;
}

/** How often in a row a connection may break under one and the same piece of work. */
export const MAX_INTERRUPTIONS = 5;
const DEFAULT_TIMEOUT = 60;
const GRACE_MS = 5000;
const LONGEST_TIMER = 2 ** 31 - 1;
const TAIL_LINES = 12;

/** How long a step may take. */
export function timeoutOf(step: AnyStep, want: unknown): number {
  return fieldOf(step.timeoutSeconds, want, DEFAULT_TIMEOUT);
}

/** Whether a step gave a script to run, rather than working itself. */
export function isScript(value: unknown): value is Script {
  return typeof value === 'object' && value !== null && 'script' in value;
}

/** Runs what a step returned: a script as a command or a job, or its own work. `expire` tells that work to stop. */
export async function perform(
  options: ExecuteOptions,
  at: Work,
  work: Script | Promise<unknown>,
  how: { readonly jobKey?: string | undefined; readonly expire?: () => void } = {},
): Promise<Performed> {
  const { ref, machine } = at;
  const timeoutSeconds = timeoutOf(at.step, at.want);
  if (!isScript(work)) return { output: undefined, value: await inTime(options, at, work, timeoutSeconds, how.expire) };
  const { stop: signal } = options;
  try {
    if (how.jobKey === undefined) {
      return { output: reported(options, at, await machine.run(work, { timeoutSeconds, signal })), value: undefined };
    }
    const onLine = (line: string) => options.emit({ type: 'node-line', ...ref, line });
    // What a mint prints is its secret, and nobody knows it yet.
    const secret = fieldOf(at.step.nature, at.want, 'state') === 'mint';
    const job: Job = { key: how.jobKey, script: work, timeoutSeconds, signal, ...(secret ? {} : { onLine }) };
    return { output: reported(options, at, await attached(machine, job)), value: undefined };
  } catch (error) {
    if (!(error instanceof KubexmError) || !TOO_LONG.includes(error.code)) throw error;
    const { detail } = error;
    const more = { cause: error, ...(detail === undefined ? {} : { detail }) };
    throw kubexmError('KX4004', { node: ref.node, seconds: timeoutSeconds }, more);
  }
}

/** Passes on what a script reported. */
function reported(options: ExecuteOptions, { ref }: Work, output: Output): Output {
  for (const report of output.reports ?? []) options.emit({ type: 'node-report', ...ref, report });
  return output;
}

/** A job goes on without us: after a cut it is found again, and never looked at half way. */
async function attached(machine: Machine, job: Job): Promise<Output> {
  for (let interruptions = 1; ; interruptions++) {
    try {
      return await machine.job(job);
    } catch (error) {
      if (!isCode(error, INTERRUPTED)) throw error;
      if (interruptions >= MAX_INTERRUPTIONS) throw keepsBreaking(machine.name, interruptions, error);
    }
  }
}

/** Puts something back, and does so again when the connection breaks under it: to put back twice does no harm. */
export async function performRevert(
  options: ExecuteOptions,
  at: Work,
  make: () => Script | Promise<unknown>,
): Promise<void> {
  for (let interruptions = 1; ; interruptions++) {
    try {
      const { output } = await perform(options, at, make());
      if (output && output.code !== 0) throw new FailedCommand(output);
      return;
    } catch (error) {
      if (!isCode(error, INTERRUPTED) || options.stop.aborted) throw error;
      if (interruptions >= MAX_INTERRUPTIONS) throw keepsBreaking(at.machine.name, interruptions, error);
    }
  }
}

/** A command that ended with a code that is no success. */
export class FailedCommand extends Error {
  readonly output: Output;

  constructor(output: Output) {
    super(endOf(output));
    this.name = 'FailedCommand';
    this.output = output;
  }

  reported(node: string): KubexmError {
    return kubexmError('KX4002', { node, reason: this.message }, { detail: tail(this.output) });
  }
}

/** A change whose check did not find the machine as wanted. */
export class FailedCheck extends Error {
  /** What the check's probe said. */
  readonly seen: Output;
  private readonly output: Output | undefined;

  /** `output`: what the change itself printed. */
  constructor(reason: string, seen: Output, output: Output | undefined) {
    super(reason);
    this.name = 'FailedCheck';
    this.seen = seen;
    this.output = output;
  }

  reported(node: string): KubexmError {
    return kubexmError('KX4003', { node, reason: this.message }, this.output ? { detail: tail(this.output) } : {});
  }
}

/** The last lines a command printed. */
export function tail(output: Output): string {
  const text = output.stderr.trim() === '' ? output.stdout : output.stderr;
  return text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

function endOf(output: Output): string {
  const last = output.stderr.trimEnd().split('\n').at(-1) || output.stdout.trimEnd().split('\n').at(-1);
  return last ? `exit code ${output.code}: ${last}` : `exit code ${output.code}`;
}

/** Throws if the host is lost: work that was late because of that did not fail, and must not be rolled back. */
async function mustBeThere(machine: Machine, signal: AbortSignal): Promise<void> {
  try {
    await machine.batch([sh`:`], { signal, timeoutSeconds: DEFAULT_TIMEOUT });
  } catch (error) {
    if (isLost(error)) throw error;
  }
}

/** A step's own work, with a time limit. After it, the work is aborted and given a moment to end before others start. */
async function inTime<T>(
  options: ExecuteOptions,
  at: Work,
  work: Promise<T>,
  seconds: number,
  expire: (() => void) | undefined,
): Promise<T> {
  const { stop } = options;
  let timer: NodeJS.Timeout | undefined;
  let onStop: (() => void) | undefined;
  const over = new Promise<'late' | 'stopped'>((resolve) => {
    timer = setTimeout(() => resolve('late'), Math.min(seconds * 1000, LONGEST_TIMER));
    onStop = () => resolve('stopped');
    if (stop.aborted) onStop();
    else stop.addEventListener('abort', onStop, { once: true });
  });
  try {
    const first = await Promise.race([work.then((value) => ({ value })), over]);
    if (typeof first === 'object') return first.value;
    if (first === 'stopped') throw kubexmError('KX4009', {});
    expire?.();
    const moment = new AbortController();
    const ended = work.catch(() => undefined).finally(() => moment.abort());
    await Promise.race([ended, delay(GRACE_MS, undefined, { signal: moment.signal }).catch(() => undefined)]);
    await mustBeThere(at.machine, stop);
    throw kubexmError('KX4004', { node: at.ref.node, seconds });
  } finally {
    clearTimeout(timer);
    if (onStop) stop.removeEventListener('abort', onStop);
  }
}
