import type { EventError } from '../model/event.ts';
import { fieldOf } from '../plan/step.ts';
import type { Applied } from './apply.ts';
import { asEventError, isLost } from './errors.ts';
import type { Execution } from './execution.ts';

/** A secret that could not be made. All who need it fail by it, and it is reported once. */
export class MintFailed extends Error {
  readonly mint: number;

  constructor(mint: number, cause: unknown) {
    super('a secret could not be made', { cause });
    this.mint = mint;
  }
}

/** A secret that cannot be made because its host is gone: who needs it has not failed, but cannot go on. */
export class MintLost extends Error {}

/** A secret that was made, or is being made. */
interface Made {
  readonly done: Promise<void>;
  /** When it was made. */
  at: number | undefined;
}

/**
 * Makes short-lived secrets just before they are used, each once for all who need it, or once more where it has become too old. They
 * live only in memory.
 */
export class Mints {
  private readonly execution: Execution;
  private readonly apply: (i: number) => Promise<Applied>;
  private readonly made = new Map<number, Made>();

  constructor(execution: Execution, apply: (i: number) => Promise<Applied>) {
    this.execution = execution;
    this.apply = apply;
  }

  /** Makes what a node is about to use. */
  async before(i: number): Promise<void> {
    for (const mint of this.execution.values.mintsOf(i)) {
      const known = this.made.get(mint);
      await (known === undefined || this.isOld(mint, known) ? this.start(mint, known !== undefined) : known.done);
    }
  }

  private start(mint: number, again: boolean): Promise<void> {
    const done = this.make(mint, again);
    const made: Made = { done, at: undefined };
    this.made.set(mint, made);
    const note = (): void => {
      made.at = performance.now();
    };
    done.then(note, note);
    return done;
  }

  private isOld(mint: number, { at }: Made): boolean {
    const use = this.execution.options.graph.use(mint);
    const fresh = use && fieldOf(use.step.freshSeconds, use.want, undefined);
    return fresh !== undefined && at !== undefined && performance.now() - at > fresh * 1000;
  }

  private async make(i: number, again: boolean): Promise<void> {
    const { execution } = this;
    const { options, values } = execution;
    const started = performance.now();
    const spent = () => performance.now() - started;
    try {
      await this.before(i);
      if (execution.isLost(options.graph.host(i))) throw new MintLost();
      const { output } = await this.apply(i);
      for (const text of textsIn(output)) options.redact(text);
      values.set(i, output);
    } catch (error) {
      if (error instanceof MintLost || error instanceof MintFailed) throw error;
      const cause = asEventError(error, options.graph.id(i));
      if (isLost(error)) execution.loseHost(options.graph.host(i), cause);
      this.finished(i, isLost(error) || options.stop.aborted ? 'unknown' : 'failed', spent(), cause);
      throw isLost(error) ? new MintLost() : new MintFailed(i, error);
    }
    // A step of the plan ends once, however often its secret is made.
    if (!again) this.finished(i, 'ran', spent());
  }

  private finished(i: number, outcome: 'ran' | 'failed' | 'unknown', durationMs: number, error?: EventError): void {
    const { options } = this.execution;
    const failed = outcome === 'failed' && error ? { error } : {};
    options.emit({ type: 'node-finished', ...this.execution.ref(i), outcome, durationMs, ...failed });
    this.execution.ledger.count(outcome);
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
