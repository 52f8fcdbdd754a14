import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type KubexmError, kubexmError } from '../model/errors/index.ts';
import type { NodeRef } from '../model/event.ts';
import type { Machine, Output } from '../model/host.ts';
import type { Json } from '../model/json.ts';
import { lines, type Script, sh } from '../model/script.ts';
import { diffLines } from '../plan/diff.ts';
import { type AnyStep, fieldOf, type StepIo, type Verdict } from '../plan/step.ts';
import { INTERRUPTED, isCode } from './errors.ts';
import type { ExecuteOptions } from './options.ts';

/** A node about to be changed: everything `apply` needs to know of it. */
export interface Target {
  readonly ref: NodeRef;
  readonly step: AnyStep;
  /** With all values, secrets included. */
  readonly want: unknown;
  /** As the check sees it: secrets masked. */
  readonly checkWant: unknown;
  readonly machine: Machine;
  readonly nature: 'state' | 'action' | 'mint';
  readonly verdict: Verdict<unknown, unknown> | undefined;
  readonly input: string;
  /** 1, or the attempt that a crash cut short: its job may still be on the host. */
  readonly firstAttempt: number;
  /** Sends the probes to run right behind the change, in the same round trip; gives the first one's answer. */
  readonly probeBehind: (() => Promise<Output>) | undefined;
}

/** What came of it. */
export interface Applied {
  readonly outcome: 'changed' | 'ran' | 'satisfied';
  readonly output: unknown;
}

const TAIL_LINES = 12;
const MAX_INTERRUPTIONS = 5;
const DEFAULT_TIMEOUT = 60;

/** The name of a node's before-images and jobs on its host. */
export function hostKey(run: string, node: string): string {
  const readable = node.replaceAll(/[^A-Za-z0-9.-]+/g, '_').slice(0, 60);
  return `${run}/${readable}-${createHash('sha256').update(node).digest('hex').slice(0, 10)}`;
}

/** Changes a machine by one step: intent first, then the change, then the check. */
export async function applyNode(options: ExecuteOptions, target: Target): Promise<Applied> {
  let verdict = target.verdict;
  if (verdict?.verdict === 'half') verdict = await undoHalf(options, target, verdict.seen);
  if (verdict?.verdict === 'satisfied') return { outcome: 'satisfied', output: verdict.output };
  const retry = target.step.retry?.(target.want);
  let attempt = target.firstAttempt;
  for (let interruptions = 0; ; ) {
    try {
      await writeIntent(options, target, verdict, attempt);
      return await attemptOnce(options, target, attempt);
    } catch (error) {
      if (isCode(error, INTERRUPTED) && ++interruptions < MAX_INTERRUPTIONS) {
        verdict = await check(target);
        if (verdict?.verdict === 'satisfied') return { outcome: 'changed', output: verdict.output };
        continue;
      }
      const failure = error instanceof FailedCommand ? error.output : (error as Error);
      if (!retry || attempt >= retry.attempts || options.stop.aborted || !retry.transient(failure)) {
        throw error instanceof FailedCommand ? error.reported(target.ref.node) : error;
      }
      const reason = error instanceof FailedCommand ? error.reason : String((error as Error).message);
      attempt += 1;
      options.emit({ type: 'node-retry', ...target.ref, attempt, delaySeconds: retry.delaySeconds, reason });
      await delay(retry.delaySeconds * 1000, undefined, { signal: options.stop });
    }
  }
}

/** Runs the step's check now. */
export async function check(
  target: Pick<Target, 'step' | 'checkWant' | 'machine'>,
): Promise<Verdict<unknown, unknown> | undefined> {
  const { step, checkWant, machine } = target;
  if (!step.probe || !step.judge) return undefined;
  const [answer] = await machine.batch([step.probe(checkWant)], { timeoutSeconds: timeoutOf(step, checkWant) });
  return answer && step.judge(answer, checkWant);
}

/** Runs what a step returned: a script as a command or a job, or its own work. */
export async function perform(
  options: ExecuteOptions,
  target: Pick<Target, 'ref' | 'step' | 'want' | 'machine'>,
  work: Script | Promise<unknown>,
  jobKey: string | undefined,
): Promise<{ readonly output: Output | undefined; readonly value: unknown }> {
  const timeoutSeconds = timeoutOf(target.step, target.want);
  if (!isScript(work)) return { output: undefined, value: await withTimeout(work, timeoutSeconds, target.ref.node) };
  if (jobKey === undefined) {
    return { output: await target.machine.run(work, { timeoutSeconds, signal: options.stop }), value: undefined };
  }
  const result = await target.machine.job({
    key: jobKey,
    script: work,
    timeoutSeconds,
    signal: options.stop,
    onLine: (line) => options.emit({ type: 'node-line', ...target.ref, line }),
  });
  if (result.attached) options.emit({ type: 'node-attached', ...target.ref });
  return { output: result, value: undefined };
}

/** A command that ended with a code that is no success. */
class FailedCommand extends Error {
  readonly output: Output;

  constructor(result: Output) {
    super(`exit code ${result.code}`);
    this.name = 'FailedCommand';
    this.output = result;
  }

  get reason(): string {
    const last = this.output.stderr.trimEnd().split('\n').at(-1) || this.output.stdout.trimEnd().split('\n').at(-1);
    return last ? `exit code ${this.output.code}: ${last}` : `exit code ${this.output.code}`;
  }

  reported(node: string): KubexmError {
    return kubexmError('KX4002', { node, reason: this.reason }, { detail: tail(this.output) });
  }
}

async function writeIntent(
  options: ExecuteOptions,
  target: Target,
  verdict: Verdict<unknown, unknown> | undefined,
  attempt: number,
): Promise<void> {
  if (target.nature !== 'state') return;
  const before = target.step.revert && verdict && 'seen' in verdict ? { before: verdict.seen as Json } : {};
  await options.journal.durable({ node: target.ref.node, phase: 'intent', input: target.input, attempt, ...before });
}

async function attemptOnce(options: ExecuteOptions, target: Target, attempt: number): Promise<Applied> {
  const { step, want, machine, ref } = target;
  const io = stepIo(options, target);
  const key = hostKey(options.run, ref.node);
  const asJob = step.once === true || fieldOf(step.job, want, false);
  const jobKey = asJob ? `${key.replace('/', '.')}.${attempt}` : undefined;
  const save = target.nature === 'state' && step.saves ? saveScript(key, step.saves(want)) : undefined;
  const joined = save !== undefined && returnsScript.get(step) === true;
  if (save && !joined) await keepBeforeImage(machine, save, ref.node);
  const work = step.apply(machine, want, io);
  if (joined && !isScript(work)) throw new TypeError(`${step.kind}: apply must always return a script, or never`);
  returnsScript.set(step, isScript(work));
  const started = perform(options, target, joined && isScript(work) ? lines(save, work) : work, jobKey);
  const behind = isScript(work) && jobKey === undefined ? target.probeBehind?.() : undefined;
  behind?.catch(() => undefined);
  const { output, value } = await started;
  if (output) {
    const good = step.successCodes?.(want) ?? [0];
    if (target.nature === 'action') {
      options.emit({ type: 'node-output', ...ref, code: output.code, stdout: output.stdout, stderr: output.stderr });
    }
    if (!good.includes(output.code)) {
      if (jobKey !== undefined) await machine.forgetJob(jobKey);
      throw new FailedCommand(output);
    }
  }
  return await conclude(options, target, { output, value, behind, jobKey });
}

async function conclude(
  options: ExecuteOptions,
  target: Target,
  made: {
    readonly output: Output | undefined;
    readonly value: unknown;
    readonly behind: Promise<Output> | undefined;
    readonly jobKey: string | undefined;
  },
): Promise<Applied> {
  const { step, want, checkWant, ref, nature } = target;
  if (nature === 'state') options.journal.append({ node: ref.node, phase: 'applied' });
  if (nature === 'mint' || !step.probe || !step.judge) {
    const result = made.output && step.result ? step.result(made.output, want) : made.value;
    return { outcome: 'ran', output: result };
  }
  const answer = await (made.behind ?? target.probeBehind?.());
  const verdict = answer ? step.judge(answer, checkWant) : await check(target);
  if (verdict && verdict.verdict !== 'satisfied') {
    const why = verdict.verdict === 'half' ? verdict.why : diffLines(verdict.diff).join('; ');
    throw kubexmError('KX4003', { node: ref.node, reason: why }, made.output ? { detail: tail(made.output) } : {});
  }
  if (nature === 'state') await options.journal.durable({ node: ref.node, phase: 'done', input: target.input });
  if (made.jobKey !== undefined) await target.machine.forgetJob(made.jobKey);
  return { outcome: nature === 'state' ? 'changed' : 'ran', output: verdict?.output ?? made.value };
}

/** A half-done once-only step is put back by its own revert, then looked at again. */
async function undoHalf(
  options: ExecuteOptions,
  target: Target,
  seen: unknown,
): Promise<Verdict<unknown, unknown> | undefined> {
  const { step, want, machine, ref } = target;
  if (!step.revert) {
    const why = fieldOf(step.irreversible, want, undefined) ?? 'the step has no revert';
    throw kubexmError('KX4014', { node: ref.node, reason: why });
  }
  await options.journal.durable({ node: ref.node, phase: 'reverting' });
  const { output } = await perform(options, target, step.revert(machine, want, seen), undefined);
  if (output && output.code !== 0) throw new FailedCommand(output).reported(ref.node);
  await options.journal.durable({ node: ref.node, phase: 'reverted' });
  const verdict = await check(target);
  if (verdict?.verdict === 'half') throw kubexmError('KX4014', { node: ref.node, reason: verdict.why });
  return verdict;
}

function stepIo(options: ExecuteOptions, target: Target): StepIo {
  let shown = 0;
  return {
    signal: options.stop,
    progress: (done, total) => {
      const now = Date.now();
      if (now - shown < 200 && done !== total) return;
      shown = now;
      options.emit({ type: 'node-progress', ...target.ref, done, total });
    },
    say: (text) => options.emit({ type: 'message', text, node: target.ref.node }),
    ask: options.ask,
    redact: options.redact,
  };
}

/**
 * Steps known to return a script: their before-image is kept in the same round trip as the change. One that works by itself
 * must find it kept already, and which kind a step is shows only when it is called.
 */
const returnsScript = new WeakMap<AnyStep, boolean>();

async function keepBeforeImage(machine: Machine, save: Script, node: string): Promise<void> {
  const result = await machine.run(save);
  if (result.code !== 0)
    throw kubexmError('KX4002', { node, reason: 'its before-image could not be kept' }, { detail: tail(result) });
}

function saveScript(key: string, saves: readonly string[] | Script): Script {
  if (!isScript(saves)) return sh`kx_save ${key} ${saves} || exit 1`;
  return sh`kx_paths=$(${saves}) || exit 1
set --
while IFS= read -r kx_path; do set -- "$@" "$kx_path"; done <<KX_PATHS
$kx_paths
KX_PATHS
kx_save ${key} "$@" || exit 1`;
}

/** How long a step may take. */
export function timeoutOf(step: AnyStep, want: unknown): number {
  return fieldOf(step.timeoutSeconds, want, DEFAULT_TIMEOUT);
}

async function withTimeout<T>(work: Promise<T>, seconds: number, node: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(kubexmError('KX4004', { node, seconds })), seconds * 1000);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}

function tail(result: Output): string {
  const text = result.stderr.trim() === '' ? result.stdout : result.stderr;
  return text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

function isScript(value: unknown): value is Script {
  return typeof value === 'object' && value !== null && 'script' in value;
}
