import { type Applied, applyNode } from './apply.ts';
import type { Execution } from './execution.ts';
import { Heap } from './heap.ts';
import type { Lane } from './lane.ts';
import { Mints } from './mints.ts';
import { natureOf } from './values.ts';

/** What is waiting to be changed and what is being changed: longest remaining path first, under the limits. */
export class Changes {
  private readonly execution: Execution;
  private readonly mints: Mints;
  private readonly queue: Heap;
  private readonly unsent: Heap;
  private running = 0;
  private sending = 0;

  constructor(execution: Execution) {
    this.execution = execution;
    this.queue = new Heap(execution.priority);
    this.unsent = new Heap(execution.priority);
    this.mints = new Mints(execution, (i) => this.apply(i));
  }

  /** A node whose check says that it needs a change. */
  push(i: number): void {
    this.queue.push(i);
  }

  /** Starts as much as the limits allow. */
  start(): void {
    const { options, admission } = this.execution;
    while (this.running < options.limits.total) {
      const i = this.queue.pop();
      if (i === undefined) return;
      const lane = this.execution.lane(i);
      const late = admission.tooLate(i);
      if (late === undefined && lane.running >= options.limits.perHost) {
        lane.parked.push(i);
        this.next(this.unsent);
        continue;
      }
      if (late === undefined && this.sends(i) && this.mayNotSend(lane)) {
        (this.sending >= this.maxSending ? this.unsent : lane.unsent).push(i);
        this.next(lane.parked);
        this.next(this.unsent);
        continue;
      }
      if (late !== undefined) this.execution.settle(i, late, 0);
      else void this.change(i, lane);
      this.next(lane.parked);
      this.next(lane.unsent);
      this.next(this.unsent);
    }
  }

  private get maxSending(): number {
    return this.execution.options.limits.sending ?? Number.POSITIVE_INFINITY;
  }

  /** A host that takes its time leaves one place to the others. */
  private mayNotSend(lane: Lane): boolean {
    return this.sending >= this.maxSending || lane.sending >= Math.max(1, this.maxSending - 1);
  }

  private sends(i: number): boolean {
    return this.execution.options.graph.use(i)?.step.sends === true;
  }

  /** Whenever a place may have become free: one that waits for it tries again, and if it does not start, the next. */
  private next(waiting: Heap): void {
    if (waiting === this.unsent && this.sending >= this.maxSending) return;
    const next = waiting.pop();
    if (next !== undefined) this.queue.push(next);
  }

  /** Takes a place among those that send; gives what lets it go, at the latest when the node ends. */
  private send(lane: Lane): () => void {
    let held = true;
    this.sending++;
    lane.sending++;
    return () => {
      if (!held) return;
      held = false;
      this.sending--;
      lane.sending--;
      this.next(lane.unsent);
      this.next(this.unsent);
    };
  }

  private async change(i: number, lane: Lane): Promise<void> {
    const { execution } = this;
    this.running++;
    lane.running++;
    execution.rollback.starts(i);
    const sent = this.sends(i) ? this.send(lane) : undefined;
    const started = performance.now();
    const spent = () => performance.now() - started;
    try {
      await this.mints.before(i);
      const late = execution.admission.tooLate(i);
      if (late !== undefined) {
        execution.settle(i, late, spent());
      } else {
        const applied = await this.apply(i, sent);
        execution.values.set(i, applied.output);
        execution.settle(i, applied.outcome, spent(), { touched: true });
      }
    } catch (error) {
      execution.fail(i, error, spent());
    }
    this.running--;
    lane.running--;
    execution.rollback.ends(i);
    sent?.();
    this.next(lane.parked);
    execution.pump();
  }

  private async apply(i: number, sent?: () => void): Promise<Applied> {
    const { options, values, rollback } = this.execution;
    const { graph, replay } = options;
    const lane = this.execution.lane(i);
    const use = graph.use(i);
    if (!use) throw new TypeError(`${graph.id(i)} has no step`);
    const verdict = lane.verdicts.get(i);
    lane.verdicts.delete(i);
    const ref = this.execution.ref(i);
    const attach = lane.attaching.delete(i);
    const nature = natureOf(graph, i);
    options.emit({ type: 'node-started', ...ref, diff: verdict?.verdict === 'needed' ? verdict.diff : [] });
    if (attach) options.emit({ type: 'node-attached', ...ref });
    return await applyNode(options, {
      ref,
      step: use.step,
      want: values.forApply(i),
      checkWant: values.forCheck(i),
      machine: lane.machine,
      nature,
      verdict,
      input: nature === 'state' ? values.fingerprint(i) : '',
      attempt: attach ? (replay?.open.get(ref.node) ?? 1) : (replay?.attempts.get(ref.node) ?? 0) + 1,
      attach,
      rollback: { begins: (found) => rollback.begins(i, found), spared: () => rollback.spared(i) },
      sent:
        sent &&
        (() => {
          sent();
          this.execution.pump();
        }),
      probe: use.step.probe && use.step.judge ? () => lane.probeBehind(i) : undefined,
    });
  }
}
