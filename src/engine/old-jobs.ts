import type { Machine } from '../model/host.ts';
import { sh } from '../model/script.ts';
import type { AnyStep } from '../plan/step.ts';
import { asEventError } from './errors.ts';
import { jobKey, runsAsJob } from './keys.ts';
import type { ExecuteOptions } from './options.ts';
import { FailedCommand, timeoutOf } from './perform.ts';
import type { Values } from './values.ts';

/** The last job of a node from before a crash. `open`: nobody has noted its end, so it may still be running. */
export interface OldJob {
  readonly key: string;
  readonly open: boolean;
}

/** Jobs that earlier processes of the same run may have left on the hosts. */
export class OldJobs {
  private readonly options: ExecuteOptions;
  private readonly values: Values;
  private readonly taken = new Set<number>();

  constructor(options: ExecuteOptions, values: Values) {
    this.options = options;
    this.values = values;
  }

  /** A node's old job, for the caller that is going to wait for it. Returned once. */
  take(i: number): OldJob | undefined {
    const job = this.find(i);
    if (job) this.taken.add(i);
    return job;
  }

  /** Whether a job of this node may still be running, and nobody has looked yet. */
  mayRun(i: number): boolean {
    return this.find(i)?.open === true;
  }

  /** Waits for the end of a job that may still run, and forgets it: what it does must not happen behind its undoing. */
  async over(i: number, machine: Machine): Promise<void> {
    const job = this.find(i);
    const step = this.options.graph.use(i)?.step;
    if (!job?.open || !step) return;
    this.taken.add(i);
    const { key } = job;
    const timeoutSeconds = timeoutOf(step, this.values.forCheck(i));
    // One that is not there any more has nothing left to do.
    await machine.job({ key, script: sh`:`, timeoutSeconds, signal: this.options.stop });
    await machine.forgetJob(key);
  }

  /** Whether there is a job to wait for, or a good result to take. Any other is forgotten: then the machine is looked at. */
  async isThere(i: number, key: string, machine: Machine): Promise<boolean> {
    const { stop: signal } = this.options;
    const [answer] = await machine.batch([sh`kx_job_state ${key}; printf %s "$kx_state"`], { signal });
    const state = answer?.stdout.trim();
    if (state === 'new' || state === 'running') return true;
    if (state === 'ended' && (await this.endedWell(i, key, machine))) return true;
    if (state !== 'absent') await machine.forgetJob(key);
    return false;
  }

  /** A job that failed while nobody watched is like every step that failed before a resume: it is reported and retried. */
  private async endedWell(i: number, key: string, machine: Machine): Promise<boolean> {
    const { graph, emit, stop: signal } = this.options;
    const result = await machine.job({ key, script: sh`:`, timeoutSeconds: 60, signal });
    if ((graph.use(i)?.step.successCodes?.(this.values.forCheck(i)) ?? [0]).includes(result.code)) return true;
    const node = graph.id(i);
    emit({ type: 'warning', error: asEventError(new FailedCommand(result).reported(node), node) });
    return false;
  }

  private find(i: number): OldJob | undefined {
    const { graph, replay, dryRun, run } = this.options;
    if (!replay || dryRun || replay.attempts.size === 0 || this.taken.has(i)) return undefined;
    const use = graph.use(i);
    const id = graph.id(i);
    const open = replay.open.get(id);
    const attempt = open ?? replay.attempts.get(id);
    if (!use || attempt === undefined || !this.mayBeJob(i, use.step)) return undefined;
    return { key: jobKey(run, id, attempt), open: open !== undefined };
  }

  /** A step that cannot say without a value that is missing may have been a job: to look costs little. */
  private mayBeJob(i: number, step: AnyStep): boolean {
    try {
      return runsAsJob(step, this.values.forCheck(i));
    } catch {
      return true;
    }
  }
}
