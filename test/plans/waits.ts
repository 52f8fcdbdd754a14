import { LOCAL } from '../../src/model/host.ts';
import type { ExecutionGraph } from '../../src/plan/graph.ts';
import { edgesOf } from './fixtures.ts';

/** Whatever a step waits for, directly or not, from the question on. */
export function allBefore(graph: ExecutionGraph, id: string): ReadonlySet<string> {
  const before = Map.groupBy(
    edgesOf(graph).map((edge) => edge.split(' → ') as [string, string]),
    ([, to]) => to,
  );
  const seen = new Set<string>();
  const visit = (one: string): void => {
    if (seen.has(one) || one.startsWith('preflight/')) return;
    seen.add(one);
    for (const [from] of before.get(one) ?? []) visit(from);
  };
  visit(id);
  return seen;
}

/** The hosts that it waits for. */
export function waitsFor(graph: ExecutionGraph, id: string): readonly string[] {
  const hosts = [...allBefore(graph, id)].map((one) => one.split('@')[1] ?? '');
  return [...new Set(hosts)].filter((host) => host !== LOCAL).sort();
}
