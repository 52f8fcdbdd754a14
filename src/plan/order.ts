import type { Edges } from './edges.ts';
import type { ExecutionGraph } from './graph.ts';
import type { StepUse } from './step.ts';

/** An order in which every node comes after what it needs, or a cycle that makes one impossible. */
export function topologicalOrder(
  edges: Edges,
  size: number,
): { readonly order: Uint32Array } | { readonly cycle: readonly number[] } {
  const waiting = new Uint32Array(size);
  const order = new Uint32Array(size);
  let tail = 0;
  for (let i = 0; i < size; i++) {
    waiting[i] = (edges.previousStart[i + 1] ?? 0) - (edges.previousStart[i] ?? 0);
    if (waiting[i] === 0) order[tail++] = i;
  }
  for (let head = 0; head < tail; head++) {
    const i = order[head] ?? 0;
    for (let e = edges.nextStart[i] ?? 0; e < (edges.nextStart[i + 1] ?? 0); e++) {
      const next = edges.next[e] ?? 0;
      const left = (waiting[next] ?? 0) - 1;
      waiting[next] = left;
      if (left === 0) order[tail++] = next;
    }
  }
  return tail === size ? { order } : { cycle: findCycle(edges, waiting) };
}

/** Walks backwards among the nodes that never became ready: each has such a predecessor, so the walk must repeat. */
function findCycle(edges: Edges, waiting: Uint32Array): readonly number[] {
  let current = waiting.findIndex((left) => left > 0);
  const seen = new Set<number>();
  while (!seen.has(current)) {
    seen.add(current);
    for (let e = edges.previousStart[current] ?? 0; e < (edges.previousStart[current + 1] ?? 0); e++) {
      const before = edges.previous[e] ?? 0;
      if ((waiting[before] ?? 0) > 0) {
        current = before;
        break;
      }
    }
  }
  const walked = [...seen];
  return [...walked.slice(walked.indexOf(current)), current].reverse();
}

/** For each node, the estimated seconds from its start to the end of the run: who has most goes first. */
export function remainingPath(graph: ExecutionGraph): Float64Array {
  const { edges, order } = graph;
  const remaining = new Float64Array(graph.size);
  for (let k = order.length - 1; k >= 0; k--) {
    const i = order[k] ?? 0;
    let longest = 0;
    for (let e = edges.nextStart[i] ?? 0; e < (edges.nextStart[i + 1] ?? 0); e++) {
      longest = Math.max(longest, remaining[edges.next[e] ?? 0] ?? 0);
    }
    remaining[i] = longest + (graph.use(i)?.weight ?? 0);
  }
  return remaining;
}

/** A graph whose steps weigh otherwise than they say themselves. Those that take no part weigh nothing. */
export function weighed(
  graph: ExecutionGraph,
  weightOf: (use: StepUse) => number,
  takesPart: (i: number) => boolean = () => true,
): ExecutionGraph {
  const use = (i: number) => {
    const one = takesPart(i) ? graph.use(i) : undefined;
    return one && { ...one, weight: weightOf(one) };
  };
  return { ...graph, use };
}

/** The chain of nodes that bounds the run's duration, by the steps' own estimates. */
export function criticalPath(graph: ExecutionGraph): { readonly nodes: readonly number[]; readonly seconds: number } {
  if (graph.size === 0) return { nodes: [], seconds: 0 };
  const remaining = remainingPath(graph);
  const longest = (candidates: Uint32Array): number =>
    candidates.reduce((best, i) => ((remaining[i] ?? 0) > (remaining[best] ?? 0) ? i : best), candidates[0] ?? 0);
  let current = longest(graph.order);
  const nodes = [current];
  for (;;) {
    const { nextStart, next } = graph.edges;
    const after = next.subarray(nextStart[current], nextStart[current + 1]);
    if (after.length === 0) break;
    current = longest(after);
    nodes.push(current);
  }
  return { nodes, seconds: remaining[nodes[0] ?? 0] ?? 0 };
}
