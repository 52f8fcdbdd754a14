import type { ExecutionGraph } from '../plan/graph.ts';

/**
 * For each node, how many actions of a chain before it are sure to run. An answer that was taken before the last of them is not
 * fresh when the node's turn comes: nobody need ask so early.
 */
export function surelyChanged(graph: ExecutionGraph, isSure: (i: number) => boolean): Uint32Array {
  const { nextStart, next } = graph.edges;
  const counts = new Uint32Array(graph.size);
  for (const i of graph.order) {
    const behind = (counts[i] ?? 0) + (isSure(i) ? 1 : 0);
    if (behind === 0) continue;
    for (let e = nextStart[i] ?? 0; e < (nextStart[i + 1] ?? 0); e++) {
      const k = next[e] ?? 0;
      if (behind > (counts[k] ?? 0)) counts[k] = behind;
    }
  }
  return counts;
}
