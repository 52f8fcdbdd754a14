import { LOCAL } from '../../model/host.ts';
import type { ExecutionGraph } from '../graph.ts';
import type { JoinNeeds } from '../node.ts';

/** A place where hosts wait for each other. */
export interface Barrier {
  readonly id: string;
  readonly needs: JoinNeeds;
  /** The hosts it waits for. */
  readonly waitsFor: readonly string[];
  /** Those whose majority or presence counts, where it is not all that it waits for. */
  readonly voters: readonly string[] | undefined;
  /** What it waits for on the local machine. */
  readonly localBefore: readonly string[];
  /** Drawn by a consumer of all hosts' values: the id of their producer. */
  readonly valuesOf: string | undefined;
}

/** The joins of a plan, in its order: each makes everything behind it wait for all hosts before it. */
export function barriers(graph: ExecutionGraph): readonly Barrier[] {
  const { previousStart, previous } = graph.edges;
  return graph.nodes.flatMap((node, n): readonly Barrier[] => {
    if (node.body.type !== 'join') return [];
    const { needs, voters, of } = node.body;
    const producer = of && graph.indexOf(of);
    const i = graph.first[n] ?? 0;
    const before = previous.subarray(previousStart[i], previousStart[i + 1]);
    const localBefore = [...before].filter((k) => graph.host(k) === LOCAL);
    return [
      {
        id: node.id,
        needs,
        waitsFor: hostsAmong(graph, before),
        voters: voters?.names,
        localBefore: [...new Set(localBefore.map((k) => graph.node(k).id))],
        valuesOf: producer === undefined ? undefined : graph.nodes[producer]?.id,
      },
    ];
  });
}

/** Steps of the local machine that several hosts wait at: barriers that nobody wrote down as such. */
export function hiddenBarriers(graph: ExecutionGraph): readonly string[] {
  const { previousStart, previous, nextStart, next } = graph.edges;
  const waits = new Uint8Array(graph.size);
  const found = new Set<string>();
  for (const i of graph.order) {
    const node = graph.node(i);
    if (graph.host(i) !== LOCAL || node.body.type === 'join') continue;
    const before = previous.subarray(previousStart[i], previousStart[i + 1]);
    if (!before.some((k) => waits[k] === 1) && hostsAmong(graph, before).length < 2) continue;
    waits[i] = 1;
    if (next.subarray(nextStart[i], nextStart[i + 1]).some((k) => graph.host(k) !== LOCAL)) found.add(node.id);
  }
  return [...found];
}

function hostsAmong(graph: ExecutionGraph, nodes: Uint32Array): readonly string[] {
  const hosts = new Set<string>();
  for (const i of nodes) hosts.add(graph.host(i));
  hosts.delete(LOCAL);
  return [...hosts];
}
