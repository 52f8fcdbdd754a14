import { refsOf } from '../plan/combinators.ts';
import type { ExecutionGraph } from '../plan/graph.ts';
import type { Selection } from './options.ts';

/** What a node of the plan does in this run. */
export type Role = 'run' | 'check' | 'leave';

/**
 * The part each node of the plan has under `--tags` and `--skip-tags`. A node outside the selection that produces a value for
 * one inside is only checked.
 */
export function rolesFor(graph: ExecutionGraph, selection: Selection | undefined): readonly Role[] {
  if (!selection || (selection.tags.length === 0 && selection.skipTags.length === 0))
    return graph.nodes.map(() => 'run');
  const has = (tags: readonly string[], wanted: readonly string[]) => tags.some((tag) => wanted.includes(tag));
  const roles = graph.nodes.map((node): Role => {
    if (node.body.type === 'join') return 'run';
    if (has(node.tags, selection.skipTags)) return 'leave';
    return selection.tags.length === 0 || has(node.tags, selection.tags) ? 'run' : 'leave';
  });
  const queue = graph.nodes.flatMap((node, i) => (roles[i] === 'run' && node.body.type !== 'join' ? [i] : []));
  const toCheck = (i: number | undefined) => {
    if (i === undefined || roles[i] !== 'leave') return;
    roles[i] = 'check';
    queue.push(i);
  };
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const node = graph.nodes[next];
    if (!node) continue;
    for (const { ref } of refsOf(node)) toCheck(graph.indexOf(ref.key));
    if (node.until) toCheck(graph.indexOf(node.until));
  }
  return roles;
}
