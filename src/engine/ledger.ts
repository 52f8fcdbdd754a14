import type { Outcome } from '../model/event.ts';
import type { ExecutionGraph } from '../plan/graph.ts';

/** How a node was settled. `passed` is no outcome for people: a join, a node left out by tags, an unused mint. */
export type Settled = Outcome | 'passed';

const GOOD: ReadonlySet<Settled> = new Set([
  'satisfied',
  'changed',
  'ran',
  'superseded',
  'would-change',
  'would-run',
  'passed',
]);

/** Who is settled how, who is ready next, and what of the past each node stands on. */
export class Ledger {
  /** Nodes all of whose predecessors are settled, and that nobody has looked at yet. */
  readonly ready: number[] = [];
  readonly counts: Partial<Record<Outcome, number>> = {};
  /** Nodes not settled yet. */
  open: number;
  /** Grows with every change, so that an answer can be told from one that is older than a change before it. */
  sequence = 0;
  private readonly graph: ExecutionGraph;
  private readonly settled: (Settled | undefined)[];
  private readonly waiting: Uint32Array;
  private readonly blocked: Uint8Array;
  private readonly lastChange: Uint32Array;
  private readonly pathMs: Float64Array;
  private readonly changedAt = new Map<number, number>();

  constructor(graph: ExecutionGraph) {
    this.graph = graph;
    this.open = graph.size;
    this.settled = new Array(graph.size);
    this.waiting = new Uint32Array(graph.size);
    this.blocked = new Uint8Array(graph.size);
    this.lastChange = new Uint32Array(graph.size);
    this.pathMs = new Float64Array(graph.size);
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
    return GOOD.has(this.settled[i] ?? 'skipped');
  }

  /** Something this node needs did not succeed. */
  isBlocked(i: number): boolean {
    return this.blocked[i] === 1;
  }

  /** The number of the change a node is making: what is asked from now on sees it. */
  changing(i: number): number {
    this.sequence += 1;
    this.changedAt.set(i, this.sequence);
    return this.sequence;
  }

  /** Whether an answer taken at `sequence` still holds for a node: nothing before it has changed since. */
  isFresh(i: number, sequence: number): boolean {
    return sequence >= (this.lastChange[i] ?? 0);
  }

  /** The longest chain of work so far. */
  longestPathMs(): number {
    return this.pathMs.reduce((a, b) => Math.max(a, b), 0);
  }

  /** Settles a node and readies those that waited only for it. */
  settle(i: number, outcome: Settled, durationMs: number): void {
    this.settled[i] = outcome;
    this.open--;
    if (outcome !== 'passed') this.counts[outcome] = (this.counts[outcome] ?? 0) + 1;
    const touched = outcome === 'changed' || outcome === 'ran' || outcome === 'failed';
    const change = touched ? (this.changedAt.get(i) ?? ++this.sequence) : (this.lastChange[i] ?? 0);
    this.changedAt.delete(i);
    const path = (this.pathMs[i] ?? 0) + durationMs;
    this.pathMs[i] = path;
    const good = GOOD.has(outcome);
    const { nextStart, next } = this.graph.edges;
    for (let e = nextStart[i] ?? 0; e < (nextStart[i + 1] ?? 0); e++) {
      const k = next[e] ?? 0;
      if (!good) this.blocked[k] = 1;
      if (change > (this.lastChange[k] ?? 0)) this.lastChange[k] = change;
      if (path > (this.pathMs[k] ?? 0)) this.pathMs[k] = path;
      const left = (this.waiting[k] ?? 0) - 1;
      this.waiting[k] = left;
      if (left === 0) this.ready.push(k);
    }
  }

  /** Counts a node differently from how it was settled: it was rolled back. */
  recount(i: number, to: 'reverted' | 'dirty'): void {
    const from = this.settled[i];
    if (from === 'changed' || from === 'satisfied') this.counts[from] = (this.counts[from] ?? 1) - 1;
    this.counts[to] = (this.counts[to] ?? 0) + 1;
  }
}
