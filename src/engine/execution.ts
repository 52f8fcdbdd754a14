import { kubexmError } from '../model/errors/index.ts';
import type { EventError, NodeRef } from '../model/event.ts';
import type { Script } from '../model/script.ts';
import type { JoinNeeds } from '../plan/node.ts';
import { remainingPath } from '../plan/order.ts';
import type { NodeKey } from '../plan/ref.ts';
import type { StepUse, Verdict } from '../plan/step.ts';
import { type Applied, applyNode } from './apply.ts';
import { asEventError, isCode, LOST } from './errors.ts';
import { Heap } from './heap.ts';
import { Lane } from './lane.ts';
import { Ledger, type Settled } from './ledger.ts';
import type { ExecuteOptions, ExecuteResult, Failure } from './options.ts';
import { outcomeOf } from './outcome.ts';
import { Rollback } from './rollback.ts';
import { type Role, rolesFor } from './selection.ts';
import { natureOf, Values } from './values.ts';

/**
 * One walk over a graph. A node becomes ready when all before it are settled; checks of a host travel together (see Lane);
 * what needs changing is started longest remaining path first, under the limits.
 */
export class Execution {
  readonly options: ExecuteOptions;
  readonly values: Values;
  readonly ledger: Ledger;
  private readonly roles: readonly Role[];
  private readonly gates: ReadonlySet<number>;
  private readonly lanes = new Map<string, Lane>();
  private readonly queue: Heap;
  private readonly touched = new Set<Lane>();
  private readonly failures: Failure[] = [];
  private readonly lost = new Map<string, EventError>();
  private readonly rollback: Rollback;
  private readonly probes = new Map<StepUse, Script>();
  private readonly mints = new Map<number, Promise<void>>();
  private running = 0;
  private pumping = false;
  private finish: () => void = () => undefined;

  constructor(options: ExecuteOptions) {
    this.options = options;
    const { graph } = options;
    this.values = new Values(graph);
    this.ledger = new Ledger(graph);
    this.roles = rolesFor(graph, options.selection);
    this.gates = new Set(graph.nodes.flatMap((node) => (node.until ? (graph.indexOf(node.until) ?? []) : [])));
    this.queue = new Heap(remainingPath(graph));
    this.rollback = new Rollback(this);
  }

  /** Runs until every node is settled. */
  async run(): Promise<ExecuteResult> {
    const { drain, unreachable } = this.options;
    for (const [host, error] of unreachable) this.loseHost(host, error);
    const done = new Promise<void>((resolve) => {
      this.finish = resolve;
    });
    const stopStarting = () => {
      for (const lane of this.lanes.values()) this.touched.add(lane);
      this.pump();
    };
    drain.addEventListener('abort', stopStarting);
    this.pump();
    await done;
    drain.removeEventListener('abort', stopStarting);
    const { counts } = this.ledger;
    return {
      outcome: outcomeOf(this.failures, this.lost.size, drain.aborted && (counts.skipped ?? 0) > 0),
      counts,
      failures: this.failures,
      lostHosts: [...this.lost.keys()],
      criticalPathMs: this.ledger.longestPathMs(),
    };
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
      this.startChanges();
    } while (ready.length > 0 || this.touched.size > 0);
    this.pumping = false;
    if (this.ledger.open === 0) this.finish();
  }

  /** Nodes that were asked about or abandoned: they are looked at again. */
  readmit(nodes: readonly number[]): void {
    for (const i of nodes) if (this.ledger.how(i) === undefined) this.ledger.ready.push(i);
  }

  isLost(host: string): boolean {
    return this.lost.has(host);
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
    const { graph, dryRun } = this.options;
    const node = graph.nodeOf[i] ?? 0;
    if (verdict?.verdict === 'satisfied') {
      this.values.set(i, verdict.output);
      this.settle(i, 'satisfied', durationMs);
    } else if (this.gates.has(node)) {
      this.settle(i, 'ran', durationMs);
    } else if (this.roles[node] === 'check') {
      this.fail(i, kubexmError('KX4008', { node: graph.id(i), tags: graph.node(i).tags.join(', ') }), durationMs);
    } else if (dryRun) {
      this.settle(i, natureOf(graph, i) === 'state' ? 'would-change' : 'would-run', durationMs, verdict);
    } else {
      this.lane(i).verdicts.set(i, verdict);
      this.queue.push(i);
    }
  }

  /** A host that is gone: its nodes are unknown, nothing on it is reverted, the rest goes on. */
  loseHost(host: string, error: EventError): void {
    if (this.lost.has(host)) return;
    this.lost.set(host, error);
    this.options.emit({ type: 'host-lost', host, error });
    this.readmit(this.lanes.get(host)?.abandon() ?? []);
  }

  /** A node that failed, as a root cause; its task on that host is rolled back first. */
  fail(i: number, error: unknown, durationMs: number): void {
    const { graph } = this.options;
    const cause = asEventError(error, graph.id(i));
    if (isCode(error, LOST)) this.loseHost(graph.host(i), cause);
    if (isCode(error, LOST) || this.options.stop.aborted) {
      this.settle(i, 'unknown', durationMs);
      return;
    }
    this.failures.push({ node: graph.id(i), host: graph.host(i), error: cause });
    this.options.emit({ type: 'node-finished', ...this.ref(i), outcome: 'failed', durationMs, error: cause });
    this.rollback.begin(i, () => {
      this.settle(i, 'failed', durationMs);
      this.pump();
    });
  }

  /** A failure of undoing: reported beside its cause. */
  reportDirty(i: number, error: unknown): void {
    const { graph } = this.options;
    const reason = error instanceof Error ? error.message : String(error);
    const cause = kubexmError('KX4005', { node: graph.id(i), reason });
    this.failures.push({ node: graph.id(i), host: graph.host(i), error: asEventError(cause, graph.id(i)) });
  }

  /** Where a node is in the four layers. */
  ref(i: number): NodeRef {
    const { graph } = this.options;
    const node = graph.node(i);
    const use = graph.use(i);
    return {
      node: graph.id(i),
      host: graph.host(i),
      module: node.task?.module ?? '',
      task: node.task?.id ?? '',
      step: node.id.slice((node.task?.id.length ?? -1) + 1),
      kind: use?.step.kind ?? 'join',
      title: use ? use.step.title(this.values.forShow(i)) : node.id,
    };
  }

  private admit(i: number): void {
    const settled = this.withoutLooking(i);
    if (settled !== undefined) {
      this.settle(i, settled, 0);
      return;
    }
    const lane = this.lane(i);
    this.touched.add(lane);
    lane.enqueue(i);
  }

  /** How a ready node ends that needs neither a check nor a change. */
  private withoutLooking(i: number): Settled | undefined {
    const { graph, drain } = this.options;
    const node = graph.node(i);
    if (node.body.type === 'join') return this.isReached(i, node.body.needs) ? 'passed' : 'skipped';
    if (this.roles[graph.nodeOf[i] ?? 0] === 'leave') return 'passed';
    if (this.ledger.isBlocked(i)) return 'skipped';
    if (this.lost.has(graph.host(i))) return 'unknown';
    if (drain.aborted || this.rollback.isFailing(i)) return 'skipped';
    if (node.until && this.gateHolds(i, node.until)) return 'superseded';
    return natureOf(graph, i) === 'mint' ? 'passed' : undefined;
  }

  private isReached(join: number, needs: JoinNeeds): boolean {
    const { graph, drain } = this.options;
    if (drain.aborted) return false;
    if (needs === 'all') return !this.ledger.isBlocked(join);
    const { previousStart, previous } = graph.edges;
    const before = previous.subarray(previousStart[join], previousStart[join + 1]);
    const good = before.filter((k) => this.ledger.isGood(k));
    if (needs === 'quorum') return good.length * 2 > before.length;
    return before.every((k) => this.ledger.isGood(k) || this.lost.has(graph.host(k)));
  }

  private gateHolds(i: number, key: NodeKey): boolean {
    const { graph } = this.options;
    const gate = graph.indexOf(key);
    if (gate === undefined) return false;
    const hosts = graph.nodes[gate]?.hosts;
    const at = graph.at(gate, hosts?.size === 1 ? (hosts.names[0] ?? '') : graph.host(i));
    return at !== undefined && this.ledger.how(at) === 'satisfied';
  }

  private startChanges(): void {
    const { limits, drain } = this.options;
    while (this.running < limits.total) {
      const i = this.queue.pop();
      if (i === undefined) return;
      const lane = this.lane(i);
      if (this.lost.has(lane.host)) this.settle(i, 'unknown', 0);
      else if (drain.aborted || this.rollback.isFailing(i)) this.settle(i, 'skipped', 0);
      else if (lane.running >= limits.perHost) lane.parked.push(i);
      else void this.change(i, lane);
    }
  }

  private async change(i: number, lane: Lane): Promise<void> {
    this.running++;
    lane.running++;
    this.rollback.starts(i);
    const started = performance.now();
    try {
      await this.mintFor(i);
      const applied = await this.apply(i, lane);
      this.values.set(i, applied.output);
      this.settle(i, applied.outcome, performance.now() - started);
    } catch (error) {
      this.fail(i, error, performance.now() - started);
    } finally {
      this.running--;
      lane.running--;
      for (const parked of lane.parked.splice(0)) this.queue.push(parked);
      this.rollback.ends(i);
      this.pump();
    }
  }

  private async apply(i: number, lane: Lane): Promise<Applied> {
    const { options, values } = this;
    const { graph, replay } = options;
    const use = graph.use(i);
    if (!use) throw new TypeError(`${graph.id(i)} has no step`);
    const verdict = lane.verdicts.get(i);
    lane.verdicts.delete(i);
    if (verdict && 'seen' in verdict) this.rollback.remember(i, verdict.seen);
    const ref = this.ref(i);
    const earlier = replay?.last.get(ref.node);
    const open = earlier?.phase === 'intent' || earlier?.phase === 'applied';
    options.emit({ type: 'node-started', ...ref, diff: verdict?.verdict === 'needed' ? verdict.diff : [] });
    return applyNode(options, {
      ref,
      step: use.step,
      want: values.forApply(i),
      checkWant: values.forCheck(i),
      machine: lane.machine,
      nature: natureOf(graph, i),
      verdict,
      input: values.fingerprint(i),
      firstAttempt: open ? (earlier.attempt ?? 1) : 1,
      probeBehind: use.step.probe && use.step.judge ? () => lane.probeBehind(i) : undefined,
    });
  }

  /** Makes the secrets a node is about to use, once for all who need them. */
  private async mintFor(i: number): Promise<void> {
    for (const mint of this.values.mintsOf(i)) {
      const made = this.mints.get(mint) ?? this.mint(mint);
      this.mints.set(mint, made);
      await made;
    }
  }

  private async mint(i: number): Promise<void> {
    const started = performance.now();
    await this.mintFor(i);
    const { output } = await this.apply(i, this.lane(i));
    for (const text of secretTexts(output)) this.options.redact(text);
    this.values.set(i, output);
    const durationMs = performance.now() - started;
    this.options.emit({ type: 'node-finished', ...this.ref(i), outcome: 'ran', durationMs });
  }

  private lane(i: number): Lane {
    const host = this.options.graph.host(i);
    const lane = this.lanes.get(host) ?? new Lane(this, host);
    this.lanes.set(host, lane);
    return lane;
  }

  private settle(i: number, outcome: Settled, durationMs: number, verdict?: Verdict<unknown, unknown>): void {
    const { graph, journal, emit } = this.options;
    if (outcome !== 'passed' && graph.use(i)) {
      const phase = journalled[outcome];
      if (phase) journal.append({ node: graph.id(i), phase });
      const diff = verdict?.verdict === 'needed' ? { diff: verdict.diff } : {};
      if (outcome !== 'failed') emit({ type: 'node-finished', ...this.ref(i), outcome, durationMs, ...diff });
    }
    this.ledger.settle(i, outcome, durationMs);
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

function secretTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(secretTexts);
}
