import { setTimeout as delay } from 'node:timers/promises';
import { kubexmError } from '../model/errors/index.ts';
import type { Output } from '../model/host.ts';
import type { Json } from '../model/json.ts';
import { lines } from '../model/script.ts';
import { diffLines } from '../plan/diff.ts';
import { fieldOf, type Retry, type StepIo, type Verdict } from '../plan/step.ts';
import { beforeImage } from './before-image.ts';
import { INTERRUPTED, isCode, isLost, JOB_DEAD, keepsBreaking, NO_JOURNAL, reasonOf } from './errors.ts';
import { jobKey, runsAsJob } from './keys.ts';
import { type Owning, owning } from './manifest.ts';
import type { ExecuteOptions } from './options.ts';
import {
  FailedCheck,
  FailedCommand,
  isScript,
  MAX_INTERRUPTIONS,
  type Performed,
  perform,
  performRevert,
  tail,
  type Work,
} from './perform.ts';

/** A node about to be changed: everything `apply` needs to know of it. `want` has all values, secrets included. */
export interface Target extends Work {
  /** The want as the check sees it: secrets masked. */
  readonly checkWant: unknown;
  readonly nature: 'state' | 'action' | 'mint';
  readonly verdict: Verdict<unknown, unknown> | undefined;
  readonly input: string;
  /** The number of this try; when attaching, of the one whose job is on the host. */
  readonly attempt: number;
  /** A job of an earlier process is there: its result is taken before anything is looked at. */
  readonly attach: boolean;
  /** Told when the machine is about to be touched, so that there is something to roll back, and when it was spared after all. */
  readonly rollback: { begins(found: Verdict<unknown, unknown> | undefined): void; spared(): void };
  /** Told when all that it sends has arrived: the line is free for others, while it goes on. */
  readonly sent: (() => void) | undefined;
  /** Asks the step's own check, and the next ones, in one round trip; gives the first one's answer. */
  readonly probe: (() => Promise<Output>) | undefined;
}

/** What came of it. `satisfied`: nothing had to be done any more. */
export interface Applied {
  readonly outcome: 'changed' | 'ran' | 'satisfied';
  readonly output: unknown;
}

/** Changes a machine by one step: intent first, then the change, then the check. */
export async function applyNode(options: ExecuteOptions, target: Target): Promise<Applied> {
  const { step, ref } = target;
  const retry = step.retry?.(target.want);
  let { verdict, attempt, attach } = target;
  let tries = 1;
  let interruptions = 0;
  for (;;) {
    if (verdict?.verdict === 'half') verdict = await undoHalf(options, target, verdict.seen);
    if (verdict?.verdict === 'satisfied') {
      const tried = tries + interruptions > 1;
      return tried ? done(options, target, verdict.output) : { outcome: 'satisfied', output: verdict.output };
    }
    try {
      if (!attach) await writeIntent(options, target, verdict, attempt);
      return await attemptOnce(options, target, verdict, attempt);
    } catch (error) {
      const dead = isCode(error, JOB_DEAD);
      if (dead || isCode(error, INTERRUPTED)) {
        if (options.stop.aborted) throw error;
        if (++interruptions >= MAX_INTERRUPTIONS)
          throw dead ? error : keepsBreaking(target.machine.name, interruptions, error);
        if (dead) attempt = await nextAttempt(options, target, attempt);
      } else {
        if (!retry || tries >= retry.attempts || options.stop.aborted || !isTransient(retry, error)) {
          throw error instanceof FailedCommand || error instanceof FailedCheck ? error.reported(ref.node) : error;
        }
        tries += 1;
        attempt += 1;
        const { delaySeconds } = retry;
        options.emit({ type: 'node-retry', ...ref, attempt: tries, delaySeconds, reason: reasonOf(error) });
        await delay(delaySeconds * 1000, undefined, { signal: options.stop });
      }
      attach = false;
      verdict = await recheck(target);
    }
  }
}

/** A lost host and a broken journal are no failures of the step: to try again is not for the step to say. */
function isTransient(retry: Retry, error: unknown): boolean {
  if (isLost(error) || isCode(error, NO_JOURNAL)) return false;
  if (error instanceof FailedCheck) return retry.unanswered?.(error.seen) === true;
  return retry.transient(error instanceof FailedCommand ? error.output : (error as Error));
}

async function writeIntent(
  options: ExecuteOptions,
  target: Target,
  verdict: Verdict<unknown, unknown> | undefined,
  attempt: number,
): Promise<void> {
  // A job's try is numbered whatever it leaves behind: after a crash its result must not pass for that of the next try.
  if (target.nature !== 'state' && !runsAsJob(target.step, target.want)) return;
  const before = target.step.revert && verdict && 'seen' in verdict ? { before: verdict.seen as Json } : {};
  const { node, mark } = target.ref;
  const more = { ...before, ...(mark === undefined ? {} : { mark }) };
  await options.journal.durable({ node, phase: 'intent', input: target.input, attempt, ...more });
}

/** A job that died is forgotten, and its name is never used again. */
async function nextAttempt(options: ExecuteOptions, target: Target, attempt: number): Promise<number> {
  await target.machine.forgetJob(jobKey(options.run, target.ref.node, attempt));
  return attempt + 1;
}

/** What the machine says now, after a try whose end nobody saw or that is worth another. */
async function recheck(target: Target): Promise<Verdict<unknown, unknown> | undefined> {
  const answer = await target.probe?.();
  return answer && target.step.judge?.(answer, target.checkWant);
}

/** Nobody waits for the disk here: if this is lost in a crash, the machine is looked at again and found as wanted. */
function done(options: ExecuteOptions, target: Target, output: unknown): Applied {
  if (target.nature !== 'state') return { outcome: 'ran', output };
  options.journal.append({ node: target.ref.node, phase: 'done', input: target.input });
  return { outcome: 'changed', output };
}

async function attemptOnce(
  options: ExecuteOptions,
  target: Target,
  verdict: Verdict<unknown, unknown> | undefined,
  attempt: number,
): Promise<Applied> {
  const { step, want, machine, ref } = target;
  const io = stepIo(options, target);
  const own = owning(options, target, verdict);
  if (own) await options.manifest?.touches(machine.name);
  const image = beforeImage(options.run, target, target.rollback.spared, own?.begin);
  const work = step.apply(image?.guard(machine) ?? machine, want, io);
  target.rollback.begins(verdict);
  if (!isScript(work)) return await ownWork(options, target, attempt, { work, own, expire: io.expire });
  const script = image ? lines(image.script, own?.around(work) ?? work) : work;
  const key = runsAsJob(step, want) ? jobKey(options.run, ref.node, attempt) : undefined;
  const started = perform(options, target, script, { jobKey: key });
  // Sent at once: it travels with the command and is answered right behind it.
  const behind = key === undefined ? target.probe?.() : undefined;
  behind?.catch(() => undefined);
  try {
    const performed = await started;
    image?.mustBeKept(performed.output);
    return await conclude(options, target, attempt, performed, behind);
  } finally {
    // Its result is taken, good or bad. A record that stays is no harm: its name is never used again.
    if (key !== undefined && !options.stop.aborted) await machine.forgetJob(key).catch(() => undefined);
  }
}

/** Work that a step does by itself. What it left is noted in the same round trip as it is checked in. */
async function ownWork(
  options: ExecuteOptions,
  target: Target,
  attempt: number,
  { work, own, expire }: { work: Promise<unknown>; own: Owning | undefined; expire: () => void },
): Promise<Applied> {
  const note = async () => void (own && (await target.machine.run(own.end)));
  let performed: Performed;
  try {
    performed = await perform(options, target, work, { expire });
  } catch (error) {
    if (!isLost(error) && !options.stop.aborted) await note().catch(() => undefined);
    throw error;
  }
  const noted = note();
  noted.catch(() => undefined);
  const applied = await conclude(options, target, attempt, performed);
  await noted;
  return applied;
}

async function conclude(
  options: ExecuteOptions,
  target: Target,
  attempt: number,
  { output, value }: Performed,
  behind?: Promise<Output>,
): Promise<Applied> {
  const { step, want, checkWant, ref, nature } = target;
  if (output && nature === 'action') {
    const { code, stdout, stderr, truncated } = output;
    options.emit({ type: 'node-output', ...ref, code, stdout, stderr, ...(truncated ? { truncated } : {}) });
  }
  if (output && !(step.successCodes?.(want) ?? [0]).includes(output.code)) throw new FailedCommand(output);
  if (nature === 'state') options.journal.append({ node: ref.node, phase: 'applied', attempt });
  const answer = nature === 'mint' ? undefined : await (behind ?? target.probe?.());
  if (!answer || !step.judge) {
    return done(options, target, output && step.result ? step.result(output, want) : value);
  }
  const verdict = step.judge(answer, checkWant);
  if (verdict.verdict !== 'satisfied') {
    const why = verdict.verdict === 'half' ? verdict.why : diffLines(verdict.diff).join('; ');
    throw new FailedCheck(why, answer, output);
  }
  return done(options, target, verdict.output ?? value);
}

/** A half-done once-only step is put back by its own revert, then looked at again. */
async function undoHalf(
  options: ExecuteOptions,
  target: Target,
  seen: unknown,
): Promise<Verdict<unknown, unknown> | undefined> {
  const { step, want, machine, ref } = target;
  const { revert } = step;
  const irreversible = fieldOf(step.irreversible, want, undefined);
  if (!revert || irreversible !== undefined) {
    throw kubexmError('KX4014', { node: ref.node, reason: irreversible ?? 'the step has no revert' });
  }
  await options.journal.durable({ node: ref.node, phase: 'reverting' });
  try {
    await performRevert(options, target, () => revert(machine, want, seen));
  } catch (error) {
    throw error instanceof FailedCommand
      ? kubexmError('KX4014', { node: ref.node, reason: error.message }, { detail: tail(error.output) })
      : error;
  }
  await options.journal.durable({ node: ref.node, phase: 'reverted' });
  const verdict = await recheck(target);
  if (verdict?.verdict === 'half') throw kubexmError('KX4014', { node: ref.node, reason: verdict.why });
  return verdict;
}

/** What a step may use, and the way to tell its own work to stop. The signal is made when it is asked for: few do. */
function stepIo(options: ExecuteOptions, target: Target): StepIo & { expire(): void } {
  let shown = 0;
  let expired: AbortController | undefined;
  return {
    get signal() {
      expired ??= new AbortController();
      const ends = target.step.caches ? [options.stop, options.drain] : [options.stop];
      return AbortSignal.any([...ends, expired.signal]);
    },
    expire: () => expired?.abort(),
    progress: (done, total, unit = 'bytes') => {
      const now = Date.now();
      if (now - shown < 200 && done !== total) return;
      shown = now;
      options.emit({ type: 'node-progress', ...target.ref, done, total, ...(unit === 'bytes' ? {} : { unit }) });
    },
    line: (line) => options.emit({ type: 'node-line', ...target.ref, line }),
    report: (report) => options.emit({ type: 'node-report', ...target.ref, report }),
    say: (text) => options.emit({ type: 'message', text, node: target.ref.node }),
    sent: () => target.sent?.(),
    ask: options.ask,
    redact: options.redact,
    secret: options.secret,
  };
}
