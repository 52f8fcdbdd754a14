import type { Outcome } from '../model/event.ts';
import type { ExecutionGraph } from '../plan/graph.ts';

/**
 * How a node was settled. Two are no outcome for people: `passed`, a join that was reached, a node left out by tags, an
 * unused mint; and `cut`, one of those that something before it keeps from being reached.
 */
export type Settled = Outcome | 'passed' | 'cut';

/** When an answer was taken: after how many changes of the run, and right behind which one, if any. */
export interface Taken {
  readonly after: number;
  readonly behind?: { readonly node: number; readonly send: number };
}

/** A node, and what it took. */
export interface Timed {
  readonly i: number;
  readonly durationMs: number;
}

const GOOD: ReadonlySet<Settled> = new Set([
  'satisfied',
  'changed',
  'ran',
  'superseded',
  'would-change',
  'would-run',
  'passed',
]);

const TOUCHING: ReadonlySet<Settled> = new Set(['changed', 'ran', 'failed']);

/** Who is settled how, who is ready next, and what of the past each node stands on. */
export class Ledger {
  /** Nodes all of whose predecessors are settled, and that nobody has looked at yet. */
  readonly ready: number[] = [];
  readonly counts: Partial<Record<Outcome, number>> = {};
  /** Nodes not settled yet. */
  open: number;
  private readonly graph: ExecutionGraph;
  private readonly settled: (Settled | undefined)[];
  private readonly waiting: Uint32Array;
  private readonly blocked: Uint8Array;
  private readonly revoked = new Set<number>();
  private readonly recounted = new Map<number, 'reverted' | 'dirty'>();
  private readonly pathMs: Float64Array;
  /** By which node the longest chain comes to each; -1 where it begins. */
  private readonly cameBy: Int32Array;
  /** Changes are numbered as they end. The two newest that each node stands on: one of them may be excused, see isFresh. */
  private changes = 0;
  private readonly newest: Uint32Array;
  private readonly second: Uint32Array;
  private sends = 0;
  private readonly sent = new Map<number, { readonly send: number; change?: number }>();

  constructor(graph: ExecutionGraph) {
    this.graph = graph;
    this.open = graph.size;
    this.settled = new Array(graph.size);
    this.waiting = new Uint32Array(graph.size);
    this.blocked = new Uint8Array(graph.size);
    this.newest = new Uint32Array(graph.size);
    this.second = new Uint32Array(graph.size);
    this.pathMs = new Float64Array(graph.size);
    this.cameBy = new Int32Array(graph.size).fill(-1);
    const { previousStart } = graph.edges;
    for (let i = 0; i < graph.size; i++) {
      this.waiting[i] = (previousStart[i + 1] ?? 0) - (previousStart[i] ?? 0);
      if (this.waiting[i] === 0) this.ready.push(i);
    }
  }

  how(i: number): Settled | undefined {
    return this.settled[i];
  }

  isGood(i: number): boolean {
    return GOOD.has(this.settled[i] ?? 'skipped') && !this.revoked.has(i);
  }

  /** Something this node needs did not succeed, or is being undone. */
  isBlocked(i: number): boolean {
    return this.blocked[i] === 1;
  }

  /** For questions asked now: they see every change that has ended. */
  now(): Taken {
    return { after: this.changes };
  }

  /** For questions sent right behind a node's change, on the same host: they also see that change. */
  nowBehind(node: number): Taken {
    this.sends += 1;
    this.sent.set(node, { send: this.sends });
    return { after: this.changes, behind: { node, send: this.sends } };
  }

  /**
   * Whether an answer still holds for a node: everything it stands on and that changed had changed before. The change that the
   * question was sent behind is excused, unless it was made again since.
   */
  isFresh(i: number, taken: Taken): boolean {
    const newest = this.newest[i] ?? 0;
    const behind = taken.behind && this.sent.get(taken.behind.node);
    const seen = behind?.send === taken.behind?.send && behind?.change === newest;
    return taken.after >= (seen ? (this.second[i] ?? 0) : newest);
  }

  /** The longest chain of work so far: its nodes in order, and what each of them took. */
  longestPath(): readonly Timed[] {
    const end = this.pathMs.reduce((best, ms, i) => (ms > (this.pathMs[best] ?? 0) ? i : best), 0);
    const path: Timed[] = [];
    for (let i = this.graph.size === 0 ? -1 : end; i >= 0; i = this.cameBy[i] ?? -1) {
      const before = this.pathMs[this.cameBy[i] ?? -1] ?? 0;
      path.push({ i, durationMs: (this.pathMs[i] ?? 0) - before });
    }
    return path.reverse();
  }

  /** Settles a node and readies those that waited only for it. `touched`: the machine may be another than before. */
  settle(i: number, outcome: Settled, durationMs: number, touched = TOUCHING.has(outcome)): void {
    this.settled[i] = outcome;
    this.open--;
    if (!this.recounted.has(i)) this.count(outcome);
    // What a node that changed stands on had ended before it began: its own change is the newest for all who follow.
    const newest = touched ? this.numberOf(i, outcome) : (this.newest[i] ?? 0);
    const second = touched ? 0 : (this.second[i] ?? 0);
    const path = (this.pathMs[i] ?? 0) + durationMs;
    this.pathMs[i] = path;
    const good = this.isGood(i);
    for (const k of this.nextOf(i)) {
      if (!good) this.blocked[k] = 1;
      this.stand(k, newest);
      this.stand(k, second);
      if (path > (this.pathMs[k] ?? 0)) {
        this.pathMs[k] = path;
        this.cameBy[k] = i;
      }
      const left = (this.waiting[k] ?? 0) - 1;
      this.waiting[k] = left;
      if (left === 0) this.ready.push(k);
    }
  }

  /** A settled node that is about to be undone: what needs it and has not started must not. */
  revoke(i: number): void {
    this.revoked.add(i);
    if (this.settled[i] !== undefined) for (const k of this.nextOf(i)) this.blocked[k] = 1;
  }

  /** Counts a node as rolled back, however it was or will be settled. */
  recount(i: number, to: 'reverted' | 'dirty'): void {
    const from = this.settled[i];
    if (from !== undefined) this.add(from, -1);
    this.recounted.set(i, to);
    this.add(to, 1);
  }

  /** Counts an outcome beside those of settled nodes: a mint that was used. */
  count(outcome: Settled): void {
    this.add(outcome, 1);
  }

  /** Whether a node was rolled back. */
  isUndone(i: number): boolean {
    return this.recounted.has(i);
  }

  private numberOf(i: number, outcome: Settled): number {
    this.changes += 1;
    const sent = this.sent.get(i);
    // What follows a failure is not what the questions behind the change saw: it may have been rolled back.
    if (sent && outcome !== 'failed') sent.change = this.changes;
    return this.changes;
  }

  private stand(k: number, change: number): void {
    const newest = this.newest[k] ?? 0;
    if (change > newest) {
      this.second[k] = newest;
      this.newest[k] = change;
    } else if (change < newest && change > (this.second[k] ?? 0)) {
      this.second[k] = change;
    }
  }

  private nextOf(i: number): Uint32Array {
    const { nextStart, next } = this.graph.edges;
    return next.subarray(nextStart[i], nextStart[i + 1]);
  }

  private add(outcome: Settled, n: 1 | -1): void {
    if (outcome === 'passed' || outcome === 'cut') return;
    const count = (this.counts[outcome] ?? 0) + n;
    if (count === 0) delete this.counts[outcome];
    else this.counts[outcome] = count;
  }
}
