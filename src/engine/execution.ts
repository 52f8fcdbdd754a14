import { type KubexmError, kubexmError } from '../model/errors/index.ts';
import type { EventError, NodeRef } from '../model/event.ts';
import type { Script } from '../model/script.ts';
import type { ExecutionGraph } from '../plan/graph.ts';
import { remainingPath } from '../plan/order.ts';
import type { StepUse, Verdict } from '../plan/step.ts';
import { Admission } from './admission.ts';
import { Changes } from './changes.ts';
import { criticalPathOf } from './critical-path.ts';
import { refOf } from './describe.ts';
import { asEventError, isAbort, isCode, isLost, NO_JOURNAL, reasonOf } from './errors.ts';
import { surelyChanged } from './foresight.ts';
import { Lane } from './lane.ts';
import { Ledger, type Settled } from './ledger.ts';
import { MintFailed, MintLost } from './mints.ts';
import { OldJobs } from './old-jobs.ts';
import type { ExecuteOptions, ExecuteResult, Failure } from './options.ts';
import { outcomeOf } from './outcome.ts';
import { predictNode } from './predict.ts';
import { Rollback } from './rollback.ts';
import { hostsTakingPart } from './selection.ts';
import { TaskTimes } from './task-times.ts';
import { natureOf, Values } from './values.ts';

/**
 * One walk over a graph. A node becomes ready when all before it are settled; checks of a host travel together (see Lane);
 * what needs changing is started longest remaining path first, under the limits (see Changes).
 */
export class Execution {
  readonly options: ExecuteOptions;
  readonly values: Values;
  readonly ledger: Ledger;
  readonly admission: Admission;
  readonly rollback: Rollback;
  readonly oldJobs: OldJobs;
  /** For each node the seconds from its start to the end of the run: who has most goes first. */
  readonly priority: Float64Array;
  /** For each node, after how many actions that are sure to run it comes. */
  readonly changedBefore: Uint32Array;
  /** Hosts that are gone, and why. */
  readonly lost = new Map<string, EventError>();
  /** The journal cannot be written any more: nothing may be changed or reverted. */
  halted = false;
  private readonly changes: Changes;
  private readonly lanes = new Map<string, Lane>();
  private readonly touched = new Set<Lane>();
  private readonly failures: Failure[] = [];
  private readonly reported = new Set<unknown>();
  private readonly tasks: TaskTimes;
  private readonly probes = new Map<StepUse, Script>();
  private pumping = false;
  private finish: () => void = () => undefined;

  /** `outer`: the values of a graph that this one undoes a part of. */
  constructor(options: ExecuteOptions, outer?: Values) {
    this.options = options;
    const { graph } = options;
    const homeless = graph.hosts.filter((host) => !options.machines.has(host) && !options.unreachable.has(host));
    const needed = homeless.length === 0 ? new Set() : hostsTakingPart(graph, options.selection);
    for (const host of homeless) if (needed.has(host)) throw new TypeError(`no machine for host ${host}`);
    this.values = new Values(graph, outer);
    this.ledger = new Ledger(graph);
    this.oldJobs = new OldJobs(options, this.values);
    this.admission = new Admission(options, this.ledger, this);
    this.priority = remainingPath(graph);
    this.changedBefore = surelyChanged(graph, (i) => this.runsForSure(i));
    this.tasks = new TaskTimes(graph, options.emit);
    this.changes = new Changes(this);
    this.rollback = new Rollback(this);
  }

  /** Runs until every node is settled. */
  async run(): Promise<ExecuteResult> {
    const { graph, drain, stop, unreachable } = this.options;
    for (const [host, error] of unreachable) this.loseHost(host, error);
    const done = new Promise<void>((resolve) => {
      this.finish = resolve;
    });
    this.pump();
    await done;
    const { counts } = this.ledger;
    const leftOut = (counts.skipped ?? 0) > 0 || (stop.aborted && (counts.unknown ?? 0) > 0);
    return {
      outcome: outcomeOf(this.failures, this.lost.size, (drain.aborted || stop.aborted) && leftOut),
      counts,
      failures: this.failures,
      lostHosts: [...this.lost.keys()],
      ...criticalPathOf(graph, this.ledger.longestPath()),
    };
  }

  /** Undoes a task of this graph by a graph of its own, with the values made here. The first Ctrl-C does not stop it. */
  async runInside(graph: ExecutionGraph): Promise<ExecuteResult> {
    const unreachable = new Map(this.lost);
    const emit: ExecuteOptions['emit'] = (event) => {
      if (event.type !== 'host-lost') this.options.emit(event);
    };
    const never = new AbortController().signal;
    const more = { graph, emit, unreachable, drain: never, onFailure: 'keep', selection: undefined } as const;
    const inner = new Execution({ ...this.options, ...more }, this.values);
    const result = await inner.run();
    for (const [host, error] of inner.lost) this.loseHost(host, error);
    return result;
  }

  /** Nothing new starts: the person said so, or the journal cannot be written. */
  get stopping(): boolean {
    return this.stopped || this.options.drain.aborted;
  }

  /** Not even a cleanup starts: the person said to stop at once, or the journal cannot be written. */
  get stopped(): boolean {
    return this.halted || this.options.stop.aborted;
  }

  isLost(host: string): boolean {
    return this.lost.has(host);
  }

  isFailing(i: number): boolean {
    return this.rollback.isFailing(i);
  }

  mayHaveJob(i: number): boolean {
    return this.oldJobs.mayRun(i);
  }

  /** Settles what is ready without waiting, sends probes, starts changes. Never recursive. */
  pump(): void {
    if (this.pumping) return;
    this.pumping = true;
    const { ready } = this.ledger;
    do {
      for (let i = ready.pop(); i !== undefined; i = ready.pop()) this.admit(i);
      const lanes = [...this.touched];
      this.touched.clear();
      for (const lane of lanes) lane.kick();
      this.changes.start();
    } while (ready.length > 0 || this.touched.size > 0);
    this.pumping = false;
    if (this.ledger.open === 0) this.finish();
  }

  /** A lane that may have something to ask. */
  touch(lane: Lane): void {
    this.touched.add(lane);
  }

  /** Nodes that were asked about: they are looked at again. */
  readmit(nodes: readonly number[]): void {
    for (const i of nodes) this.ledger.ready.push(i);
  }

  /** The probe of a node whose want depends on nothing: made once for all its hosts where they share it. */
  sharedProbe(i: number): Script | undefined {
    const use = this.options.graph.use(i);
    if (!use?.step.probe) return undefined;
    const script = this.probes.get(use) ?? use.step.probe(use.want);
    this.probes.set(use, script);
    return script;
  }

  /** A node whose check is in: done, or on to being changed. */
  judged(i: number, verdict: Verdict<unknown, unknown> | undefined, durationMs: number): void {
    const { dryRun } = this.options;
    if (verdict?.verdict === 'satisfied') {
      this.values.set(i, verdict.output);
      this.rollback.satisfied(i);
      this.settle(i, 'satisfied', durationMs);
    } else if (this.admission.isGate(i)) {
      this.settle(i, 'ran', durationMs, { touched: false });
    } else if (this.admission.roleOf(i) === 'check') {
      this.fail(i, this.unsatisfiedOutside(i), durationMs);
    } else if (dryRun) {
      this.predict(i, verdict, durationMs);
    } else {
      this.lane(i).verdicts.set(i, verdict);
      this.changes.push(i);
    }
  }

  /** A host that is gone: its nodes are unknown, nothing on it is reverted, the rest goes on. */
  loseHost(host: string, error: EventError): void {
    if (this.lost.has(host)) return;
    this.lost.set(host, error);
    this.options.emit({ type: 'host-lost', host, error });
  }

  /** A node that failed; its task on that host is rolled back first. */
  fail(i: number, error: unknown, durationMs: number): void {
    const { graph, stop } = this.options;
    if (isLost(error)) this.loseHost(graph.host(i), asEventError(error, graph.id(i)));
    if (isCode(error, NO_JOURNAL)) this.halt(i, error);
    if (isLost(error) || isCode(error, NO_JOURNAL) || stop.aborted) {
      this.settle(i, 'unknown', durationMs);
      return;
    }
    if (error instanceof MintLost || this.wasCut(i, error)) {
      this.settle(i, 'skipped', durationMs);
      return;
    }
    const root = error instanceof MintFailed ? error.mint : i;
    const cause = asEventError(error instanceof MintFailed ? error.cause : error, graph.id(root));
    this.report(root, error, cause);
    this.options.emit({ type: 'node-finished', ...this.ref(i), outcome: 'failed', durationMs, error: cause });
    this.rollback.begin(i, () => {
      this.settle(i, 'failed', durationMs);
      this.pump();
    });
  }

  /** The journal is gone: from here on it is as if kubexm had died. */
  halt(i: number, error: unknown): void {
    this.halted = true;
    this.report(i, error, asEventError(error, this.options.graph.id(i)));
  }

  /** A failure of undoing: reported beside its cause. */
  reportDirty(i: number, error: unknown): void {
    const node = this.options.graph.id(i);
    this.report(i, error, asEventError(kubexmError('KX4005', { node, reason: reasonOf(error) }), node));
  }

  ref(i: number): NodeRef {
    return refOf(this.options.graph, this.values, i);
  }

  /** The lane of a node's host. */
  lane(i: number): Lane {
    const host = this.options.graph.host(i);
    const known = this.lanes.get(host);
    if (known) return known;
    const machine = this.options.machines.get(host);
    if (!machine) throw new TypeError(`no machine for host ${host}`);
    const lane = new Lane(this, host, machine);
    this.lanes.set(host, lane);
    return lane;
  }

  /** A node is over: noted, told, and what waited for it is ready. `touched`: the machine may be another than before. */
  settle(
    i: number,
    outcome: Settled,
    durationMs: number,
    more: { readonly verdict?: Verdict<unknown, unknown> | undefined; readonly touched?: boolean } = {},
  ): void {
    const { graph, journal, emit } = this.options;
    if (outcome !== 'passed' && outcome !== 'cut' && !this.ledger.isUndone(i)) {
      const phase = journalled[outcome];
      const { mark } = graph.node(i);
      if (phase) journal.append({ node: graph.id(i), phase, ...(mark === undefined ? {} : { mark }) });
      const diff = more.verdict?.verdict === 'needed' ? { diff: more.verdict.diff } : {};
      if (outcome !== 'failed') emit({ type: 'node-finished', ...this.ref(i), outcome, durationMs, ...diff });
    }
    this.ledger.settle(i, outcome, durationMs, more.touched);
    this.tasks.settled(graph.nodeOf[i] ?? 0, outcome, this.ledger.isGood(i), durationMs);
  }

  private predict(i: number, verdict: Verdict<unknown, unknown> | undefined, durationMs: number): void {
    const { graph } = this.options;
    try {
      // What follows is still shown: only the end of the dry run is that of a failed run.
      const wouldFail = (error: KubexmError) => this.report(i, error, asEventError(error, graph.id(i)));
      predictNode(this.options, this.values, this.lane(i).machine, i, wouldFail);
      this.settle(i, natureOf(graph, i) === 'state' ? 'would-change' : 'would-run', durationMs, { verdict });
    } catch (error) {
      this.fail(i, error, durationMs);
    }
  }

  private admit(i: number): void {
    const settled = this.admission.withoutLooking(i);
    if (settled !== undefined) {
      this.settle(i, settled, 0);
      return;
    }
    const lane = this.lane(i);
    this.touch(lane);
    lane.enqueue(i);
  }

  /** An action, which runs without a look. A mint runs only when it is needed. */
  private runsForSure(i: number): boolean {
    const { graph, dryRun } = this.options;
    const step = graph.use(i)?.step;
    return (
      !dryRun &&
      step !== undefined &&
      !step.probe &&
      natureOf(graph, i) === 'action' &&
      this.admission.roleOf(i) === 'run'
    );
  }

  /** Filling a cache ends with the first Ctrl-C: what it has got so far stays, and that is no failure. Other errors are. */
  private wasCut(i: number, error: unknown): boolean {
    const { graph, drain } = this.options;
    return drain.aborted && graph.use(i)?.step.caches === true && isAbort(error, drain);
  }

  /** A producer outside the selection that is not as its consumers need it. */
  private unsatisfiedOutside(i: number): KubexmError {
    const { graph, selection } = this.options;
    const { tags, task } = graph.node(i);
    const node = graph.id(i);
    if (selection?.tasks) return kubexmError('KX4032', { node, task: task?.id ?? node });
    return kubexmError('KX4008', { node, tags: tags.join(', ') });
  }

  /** Notes a root cause, once. */
  private report(i: number, error: unknown, cause: EventError): void {
    if (this.reported.has(error)) return;
    this.reported.add(error);
    const { graph } = this.options;
    this.failures.push({ node: graph.id(i), host: graph.host(i), error: cause });
  }
}

/** Outcomes that are noted when a node is settled; the others were noted while it ran, or belong to a dry run. */
const journalled: Partial<Record<Settled, 'satisfied' | 'ran' | 'failed' | 'skipped' | 'unknown' | 'superseded'>> = {
  satisfied: 'satisfied',
  ran: 'ran',
  failed: 'failed',
  skipped: 'skipped',
  unknown: 'unknown',
  superseded: 'superseded',
};
