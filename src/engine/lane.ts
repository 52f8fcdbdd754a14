import type { Machine, Output } from '../model/host.ts';
import { type Script, sh } from '../model/script.ts';
import type { Diff } from '../plan/diff.ts';
import { fieldOf, needed, type Verdict } from '../plan/step.ts';
import { hostKey } from './apply.ts';
import { asEventError, isCode, LOST } from './errors.ts';
import type { Execution } from './execution.ts';
import { MissingValue, natureOf } from './values.ts';

const WIDEST = 512;

/**
 * One host's share of a run. Its checks travel together: the first round trip asks for everything that lies ahead, so that a
 * run with nothing to do costs about one. After a change only the next check is asked, in the same round trip as the change;
 * as long as checks come out satisfied, twice as many the next time.
 */
export class Lane {
  readonly host: string;
  readonly machine: Machine;
  readonly verdicts = new Map<number, Verdict<unknown, unknown> | undefined>();
  readonly parked: number[] = [];
  running = 0;
  private readonly execution: Execution;
  private readonly answers = new Map<number, { readonly output: Output; readonly sequence: number; ms: number }>();
  private readonly jobsLookedFor = new Set<number>();
  private toProbe: number[] = [];
  private probing = false;
  private width = WIDEST;

  constructor(execution: Execution, host: string) {
    this.execution = execution;
    this.host = host;
    const machine = execution.options.machines.get(host);
    if (!machine) throw new TypeError(`no machine for host ${host}`);
    this.machine = machine;
  }

  /** Takes a node that is ready: judges it at once if a fresh answer is there. */
  enqueue(i: number): void {
    const step = this.execution.options.graph.use(i)?.step;
    if (this.mayHaveJob(i)) {
      this.jobsLookedFor.add(i);
      void this.lookForJob(i);
      return;
    }
    if (!step?.probe || !step.judge) {
      this.execution.judged(i, undefined, 0);
      return;
    }
    const answer = this.answers.get(i);
    this.answers.delete(i);
    if (answer && this.execution.ledger.isFresh(i, answer.sequence)) this.judge(i, answer.output, answer.ms);
    else this.toProbe.push(i);
  }

  /** Sends the checks that are wanted now, and those that will be wanted next, in one round trip. */
  kick(): void {
    if (this.probing || this.toProbe.length === 0) return;
    if (this.execution.isLost(this.host) || this.execution.options.drain.aborted) {
      this.execution.readmit(this.toProbe.splice(0));
      return;
    }
    const asked = this.toProbe.splice(0);
    void this.ask(asked);
  }

  /** Gives back what has not started: the host is gone or the run is stopping. */
  abandon(): readonly number[] {
    return this.toProbe.splice(0);
  }

  /** Sends a changed node's check, and the next ones, right behind its change. The answer is the changed node's. */
  async probeBehind(i: number): Promise<Output> {
    const sequence = this.execution.ledger.changing(i);
    this.width = 1;
    const ahead = this.ahead([i], this.width);
    const own = this.script(i);
    if (!own) throw new TypeError('a step without a probe has no check');
    const [answer, ...rest] = await this.machine.batch([own, ...ahead.map((one) => one.script)]);
    ahead.forEach(({ node }, k) => {
      const output = rest[k];
      if (output) this.answers.set(node, { output, sequence, ms: 0 });
    });
    if (!answer) throw new TypeError('a probe got no answer');
    return answer;
  }

  private async ask(asked: readonly number[]): Promise<void> {
    this.probing = true;
    const sequence = this.execution.ledger.sequence;
    const started = performance.now();
    const own = asked.flatMap((node) => this.probe(node));
    const ahead = this.ahead(asked, this.width - own.length);
    try {
      const all = [...own, ...ahead];
      const outputs = all.length === 0 ? [] : await this.machine.batch(all.map((one) => one.script));
      all.forEach(({ node }, k) => {
        const output = outputs[k];
        if (output) this.answers.set(node, { output, sequence, ms: 0 });
      });
      const first = this.answers.get(asked[0] ?? -1);
      if (first) first.ms = performance.now() - started;
      this.probing = false;
      this.execution.readmit(own.map((one) => one.node));
    } catch (error) {
      this.probing = false;
      if (isCode(error, LOST)) {
        this.execution.loseHost(this.host, asEventError(error, ''));
        this.execution.readmit(own.map((one) => one.node));
      } else {
        for (const { node } of own) this.execution.fail(node, error, performance.now() - started);
      }
    }
    this.execution.pump();
  }

  private judge(i: number, output: Output, ms: number): void {
    try {
      const verdict = this.verdict(i, output);
      this.width = verdict.verdict === 'satisfied' ? Math.min(WIDEST, this.width * 2) : 1;
      this.execution.judged(i, verdict, ms);
    } catch (error) {
      this.execution.fail(i, error, ms);
    }
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
    const want = this.execution.values.forShow(i);
    try {
      const shown = step?.judge?.(output, want);
      if (shown?.verdict === 'needed' && shown.diff.length > 0) return shown.diff;
    } catch {
      // A masked value need not have the type the judge expects: then only the step is named.
    }
    return [{ what: step?.title(want) ?? this.execution.options.graph.id(i) }];
  }

  /** Nodes that come next on this host and can be asked about already, nearest first. */
  private ahead(from: readonly number[], width: number): readonly { readonly node: number; readonly script: Script }[] {
    const { graph } = this.execution.options;
    const { nextStart, next } = graph.edges;
    const host = graph.hostOf[from[0] ?? 0];
    const seen = new Set(from);
    const found: { node: number; script: Script }[] = [];
    const queue = [...from];
    for (let head = 0; head < queue.length && found.length < width; head++) {
      const i = queue[head] ?? 0;
      for (let e = nextStart[i] ?? 0; e < (nextStart[i + 1] ?? 0); e++) {
        const k = next[e] ?? 0;
        if (graph.hostOf[k] !== host || seen.has(k) || this.execution.ledger.how(k) !== undefined) continue;
        seen.add(k);
        queue.push(k);
        const script = natureOf(graph, k) === 'mint' || found.length >= width ? undefined : this.script(k);
        if (script) found.push({ node: k, script });
      }
    }
    return found;
  }

  private probe(node: number): readonly { readonly node: number; readonly script: Script }[] {
    try {
      const script = this.script(node, true);
      if (script) return [{ node, script }];
      throw new MissingValue(this.execution.options.graph.id(node));
    } catch (error) {
      this.execution.fail(node, error, 0);
      return [];
    }
  }

  /** A node's probe, if what it asks for is known. Hosts that share a want share its script. */
  private script(i: number, strict = false): Script | undefined {
    const { options, values } = this.execution;
    const step = options.graph.use(i)?.step;
    if (!step?.probe) return undefined;
    if (!values.hasRefs(i)) return this.execution.sharedProbe(i);
    try {
      return step.probe(values.forCheck(i));
    } catch (error) {
      if (!(error instanceof MissingValue)) throw error;
      if (options.dryRun) return tryProbe(() => step.probe?.(values.forShow(i)));
      if (strict) throw error;
      return undefined;
    }
  }

  /** Whether a job of this node from before a crash may still be on the host. */
  private mayHaveJob(i: number): boolean {
    const { graph, replay, dryRun } = this.execution.options;
    if (!replay || dryRun || this.jobsLookedFor.has(i)) return false;
    const phase = replay.last.get(graph.id(i))?.phase;
    const use = graph.use(i);
    if (!use || (phase !== 'intent' && phase !== 'applied')) return false;
    return use.step.once === true || fieldOf(use.step.job, this.execution.values.forShow(i), false);
  }

  private async lookForJob(i: number): Promise<void> {
    const { graph, run, replay } = this.execution.options;
    const id = graph.id(i);
    const key = `${hostKey(run, id).replace('/', '.')}.${replay?.last.get(id)?.attempt ?? 1}`;
    try {
      const [answer] = await this.machine.batch([sh`kx_job_state ${key}; printf %s "$kx_state"`]);
      const state = answer?.stdout.trim();
      if (state === 'dead') await this.machine.forgetJob(key);
      if (state === 'new' || state === 'running' || state === 'ended') this.execution.judged(i, undefined, 0);
      else this.execution.readmit([i]);
    } catch (error) {
      this.execution.fail(i, error, 0);
    }
    this.execution.pump();
  }
}

function tryProbe(make: () => Script | undefined): Script {
  try {
    return make() ?? sh`:`;
  } catch {
    return sh`:`;
  }
}
