import type { AnyStep } from '../plan/step.ts';
import { jobKey, runsAsJob } from './keys.ts';
import type { ExecuteOptions } from './options.ts';
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

  /** A node's old job, for whoever is going to look after it. Given out once. */
  take(i: number): OldJob | undefined {
    const job = this.find(i);
    if (job) this.taken.add(i);
    return job;
  }

  /** Whether a job of this node may still be running, and nobody has looked yet. */
  mayRun(i: number): boolean {
    return this.find(i)?.open === true;
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
