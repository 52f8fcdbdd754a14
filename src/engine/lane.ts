import type { Machine, Output } from '../model/host.ts';
import { type Script, sh } from '../model/script.ts';
import type { Diff } from '../plan/diff.ts';
import { needed, type Verdict } from '../plan/step.ts';
import { titleOf } from './describe.ts';
import { asEventError, isLost } from './errors.ts';
import type { Execution } from './execution.ts';
import { Heap } from './heap.ts';
import type { Taken } from './ledger.ts';
import { timeoutOf } from './perform.ts';
import { MissingValue, natureOf } from './values.ts';

const WIDEST = 512;

interface Probe {
  readonly node: number;
  readonly script: Script;
}

interface Answer {
  readonly output: Output;
  /** Undefined for the answer to a question that was asked when all before the node were settled. */
  readonly taken: Taken | undefined;
  readonly ms: number;
}

/**
 * One host's share of a run. Its checks travel together: the first round trip asks for everything that lies ahead, so that a
 * run with nothing to do costs about one. After a change only the next check is asked, in the same round trip as the change;
 * as long as checks come out satisfied, twice as many the next time.
 */
export class Lane {
  readonly host: string;
  readonly machine: Machine;
  readonly verdicts = new Map<number, Verdict<unknown, unknown> | undefined>();
  /** Nodes that wait because enough is running on this host. */
  readonly parked: Heap;
  /** Nodes that wait because enough is on its way to this host. */
  readonly unsent: Heap;
  /** Nodes whose job from before a crash is on the host. */
  readonly attaching = new Set<number>();
  running = 0;
  sending = 0;
  private readonly execution: Execution;
  private readonly answers = new Map<number, Answer>();
  private toProbe: number[] = [];
  private probing = false;
  private width = WIDEST;
  private widest = WIDEST;

  constructor(execution: Execution, host: string, machine: Machine) {
    this.execution = execution;
    this.host = host;
    this.machine = machine;
    this.parked = new Heap(execution.priority);
    this.unsent = new Heap(execution.priority);
  }

  /** Takes a node that is ready: judges it at once if a fresh answer is there. */
  enqueue(i: number): void {
    const step = this.execution.options.graph.use(i)?.step;
    const job = this.execution.admission.roleOf(i) === 'run' ? this.execution.oldJobs.take(i) : undefined;
    if (job?.open) {
      void this.lookForJob(i, job.key);
      return;
    }
    // The result of one that is not open was taken; a crash may have kept it from being forgotten.
    if (job) void this.machine.forgetJob(job.key).catch(() => undefined);
    if (!step?.probe || !step.judge) {
      this.execution.judged(i, undefined, 0);
      return;
    }
    const answer = this.answers.get(i);
    this.answers.delete(i);
    if (answer && (!answer.taken || this.execution.ledger.isFresh(i, answer.taken))) {
      this.judge(i, answer.output, answer.ms);
    } else {
      this.toProbe.push(i);
    }
  }

  /** Sends the checks that are wanted now, and those that will be wanted next, in one round trip. */
  kick(): void {
    if (!this.probing && this.toProbe.length > 0) void this.ask(this.toProbe.splice(0));
  }

  /** Asks a changed node's check, and the next ones, right behind its change. The answer is the changed node's. */
  async probeBehind(i: number): Promise<Output> {
    const taken = this.execution.ledger.nowBehind(i);
    const script = this.script(i);
    if (!script) throw new TypeError('a step without a probe has no check');
    this.width = 1;
    const ahead = this.ahead([i], this.width);
    const [answer] = await this.batch([{ node: i, script }], ahead, taken);
    if (answer?.status === 'rejected') throw answer.reason;
    if (!answer?.value) throw new TypeError('a probe got no answer');
    return answer.value;
  }

  private async ask(asked: readonly number[]): Promise<void> {
    this.probing = true;
    const taken = this.execution.ledger.now();
    const started = performance.now();
    const own = asked.flatMap((node) => this.ownProbe(node));
    try {
      const ahead = this.ahead(asked, this.width - own.length, taken);
      const outputs = own.length + ahead.length === 0 ? [] : await this.batch(own, ahead, taken);
      const ms = performance.now() - started;
      this.probing = false;
      own.forEach((probe, k) => {
        const answer = outputs[k];
        if (answer?.status !== 'fulfilled' || !answer.value) {
          this.failed(
            [probe],
            answer?.status === 'rejected' ? answer.reason : new TypeError('a probe got no answer'),
            ms,
          );
          return;
        }
        this.answers.set(probe.node, { output: answer.value, taken: undefined, ms: k === 0 ? ms : 0 });
        this.execution.readmit([probe.node]);
      });
    } catch (error) {
      this.probing = false;
      this.failed(own, error, performance.now() - started);
    }
    // Others may have been waiting for the end of this round, whatever came of it.
    this.execution.touch(this);
    this.execution.pump();
  }

  /** Asks for answers, and keeps those to what lies ahead. A probe that breaks the batch must break only its own node. */
  private async batch(
    own: readonly Probe[],
    ahead: readonly Probe[],
    taken: Taken,
  ): Promise<readonly PromiseSettledResult<Output | undefined>[]> {
    const { stop: signal } = this.execution.options;
    const [only] = own;
    // Nobody travels with it, so it may take the time its own step allows.
    if (only && own.length + ahead.length === 1) {
      return [{ status: 'fulfilled', value: await this.askAlone(only, signal) }];
    }
    try {
      const scripts = [...own, ...ahead].map(({ script }) => script);
      const outputs = await this.machine.batch(scripts, { signal });
      ahead.forEach(({ node }, k) => {
        const output = outputs[own.length + k];
        if (output) this.answers.set(node, { output, taken, ms: 0 });
      });
      return own.map((_, k) => ({ status: 'fulfilled', value: outputs[k] }));
    } catch (error) {
      if (isLost(error) || signal.aborted) throw error;
      this.widest = 1;
      this.width = 1;
      return await Promise.allSettled(own.map((probe) => this.askAlone(probe, signal)));
    }
  }

  private async askAlone({ node, script }: Probe, signal: AbortSignal): Promise<Output | undefined> {
    const { options, values } = this.execution;
    const step = options.graph.use(node)?.step;
    const [output] = await this.machine.batch([script], {
      signal,
      ...(step ? { timeoutSeconds: timeoutOf(step, values.forShow(node)) } : {}),
    });
    return output;
  }

  private failed(own: readonly Probe[], error: unknown, ms: number): void {
    if (isLost(error)) this.execution.loseHost(this.host, asEventError(error, ''));
    for (const { node } of own) {
      if (isLost(error)) this.execution.readmit([node]);
      else this.execution.fail(node, error, ms);
    }
  }

  private judge(i: number, output: Output, ms: number): void {
    let verdict: Verdict<unknown, unknown>;
    try {
      verdict = this.verdict(i, output);
    } catch (error) {
      this.execution.fail(i, error, ms);
      return;
    }
    this.width = verdict.verdict === 'satisfied' ? Math.min(this.widest, this.width * 2) : 1;
    this.execution.judged(i, verdict, ms);
  }

  /** What an answer means. A value that is not known yet in a dry run always means a change. */
  private verdict(i: number, output: Output): Verdict<unknown, unknown> {
    const { values } = this.execution;
    const step = this.execution.options.graph.use(i)?.step;
    if (!step?.judge) throw new TypeError('a step without a judge cannot be judged');
    let verdict: Verdict<unknown, unknown>;
    try {
      verdict = step.judge(output, values.forCheck(i));
    } catch (error) {
      if (!(error instanceof MissingValue) || !this.execution.options.dryRun) throw error;
      verdict = needed(undefined, []);
    }
    if (verdict.verdict !== 'needed' || !values.hasRefs(i)) return verdict;
    return { ...verdict, diff: this.maskedDiff(i, output) };
  }

  private maskedDiff(i: number, output: Output): Diff {
    const step = this.execution.options.graph.use(i)?.step;
    try {
      const shown = step?.judge?.(output, this.execution.values.forShow(i));
      if (shown?.verdict === 'needed' && shown.diff.length > 0) return shown.diff;
    } catch {
      // A masked value need not have the type the judge expects: then only the step is named.
    }
    return [{ what: titleOf(this.execution.options.graph, this.execution.values, i) }];
  }

  /** Nodes that come next on this host and can be asked about already, nearest first. Not those whose answer would be old. */
  private ahead(from: readonly number[], width: number, now?: Taken): readonly Probe[] {
    const { changedBefore, ledger } = this.execution;
    const { graph } = this.execution.options;
    const changed = from.reduce((most, i) => Math.max(most, changedBefore[i] ?? 0), 0);
    const { nextStart, next } = graph.edges;
    const host = graph.hostOf[from[0] ?? 0];
    const seen = new Set(from);
    const found: Probe[] = [];
    const queue = [...from];
    for (let head = 0; head < queue.length && found.length < width; head++) {
      const i = queue[head] ?? 0;
      for (let e = nextStart[i] ?? 0; e < (nextStart[i + 1] ?? 0); e++) {
        const k = next[e] ?? 0;
        if (graph.hostOf[k] !== host || seen.has(k) || ledger.how(k) !== undefined) continue;
        if ((changedBefore[k] ?? 0) > changed) continue;
        seen.add(k);
        queue.push(k);
        // Nothing at all has changed since: to ask again would bring the same.
        if (now && this.answers.get(k)?.taken?.after === now.after) continue;
        const script = found.length < width ? this.scriptAhead(k) : undefined;
        if (script) found.push({ node: k, script });
      }
    }
    return found;
  }

  private ownProbe(node: number): readonly Probe[] {
    try {
      const script = this.script(node) ?? sh`:`;
      return [{ node, script }];
    } catch (error) {
      this.execution.fail(node, error, 0);
      return [];
    }
  }

  /** The probe of a node that is not ready yet, if all it asks for is known. */
  private scriptAhead(i: number): Script | undefined {
    const { options, values } = this.execution;
    const step = options.graph.use(i)?.step;
    if (!step?.probe || !this.execution.admission.mayBeChecked(i) || natureOf(options.graph, i) === 'mint')
      return undefined;
    try {
      return values.hasRefs(i) ? step.probe(values.forCheck(i)) : this.execution.sharedProbe(i);
    } catch {
      // Its value is missing, or its want is not valid: that is reported when its turn comes.
      return undefined;
    }
  }

  /** A node's probe. Hosts that share a want share its script. In a dry run masks stand for values that are not there. */
  private script(i: number): Script | undefined {
    const { options, values } = this.execution;
    const step = options.graph.use(i)?.step;
    if (!step?.probe) return undefined;
    if (!values.hasRefs(i)) return this.execution.sharedProbe(i);
    try {
      return step.probe(values.forCheck(i));
    } catch (error) {
      if (!(error instanceof MissingValue) || !options.dryRun) throw error;
    }
    try {
      return step.probe(values.forShow(i));
    } catch {
      return sh`:`;
    }
  }

  private async lookForJob(i: number, key: string): Promise<void> {
    try {
      if (await this.execution.oldJobs.isThere(i, key, this.machine)) {
        this.attaching.add(i);
        this.execution.judged(i, undefined, 0);
      } else {
        this.execution.readmit([i]);
      }
    } catch (error) {
      this.execution.fail(i, error, 0);
    }
    this.execution.pump();
  }
}
