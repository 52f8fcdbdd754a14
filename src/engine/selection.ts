import { LOCAL } from '../model/host.ts';
import { refsOf } from '../plan/combinators.ts';
import type { ExecutionGraph } from '../plan/graph.ts';
import type { ExecutionNode } from '../plan/node.ts';
import { criticalPath, weighed } from '../plan/order.ts';
import { type Ref, refsIn } from '../plan/ref.ts';
import { fieldOf, type Guard, type StepUse } from '../plan/step.ts';
import type { Selection } from './options.ts';
import { natureOf } from './values.ts';

/** What a node of the plan does in this run. */
export type Role = 'run' | 'check' | 'leave';

/**
 * The part each node of the plan has under `--tags` and `--skip-tags`, or when only some tasks run. A node outside the
 * selection that produces a value for one inside is only checked. A question is asked whenever something behind it runs, and
 * what was minted is cleaned up.
 */
export function rolesFor(graph: ExecutionGraph, selection: Selection | undefined): readonly Role[] {
  if (!selection || (selection.tags.length === 0 && selection.skipTags.length === 0 && !selection.tasks))
    return graph.nodes.map(() => 'run');
  const has = (tags: readonly string[], wanted: readonly string[]) => tags.some((tag) => wanted.includes(tag));
  const roles = graph.nodes.map((node): Role => {
    if (node.body.type === 'join') return 'run';
    if (has(node.tags, selection.skipTags)) return 'leave';
    if (selection.tasks && !selection.tasks.includes(node.task?.id ?? '')) return 'leave';
    return selection.tags.length === 0 || has(node.tags, selection.tags) ? 'run' : 'leave';
  });
  graph.nodes.forEach((node, i) => {
    if (guardOf(node) === 'question' && runsBehind(graph, i, roles)) roles[i] = 'run';
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
  for (const i of cleanups(graph)) if (mintsBefore(graph, i, (k) => roles[graph.nodeOf[k] ?? 0])) roles[i] = 'run';
  return roles;
}

/**
 * The part each node of the graph has when the selection holds on some hosts only. The local machine always takes part. Here
 * a producer is only checked on the hosts whose values are needed: another host may not even be up.
 */
export function rolesOnHosts(graph: ExecutionGraph, roles: readonly Role[], hosts: readonly string[]): readonly Role[] {
  const chosen = new Set([...hosts, LOCAL]);
  const isJoin = (i: number) => graph.node(i).body.type === 'join';
  const runs = (i: number) => roles[graph.nodeOf[i] ?? 0] === 'run' && chosen.has(graph.host(i));
  const found = Array.from({ length: graph.size }, (_, i): Role => (isJoin(i) || runs(i) ? 'run' : 'leave'));
  const queue = found.flatMap((role, i) => (role === 'run' && !isJoin(i) ? [i] : []));
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const i of neededBy(graph, next)) {
      if (found[i] !== 'leave') continue;
      found[i] = 'check';
      queue.push(i);
    }
  }
  for (const node of cleanups(graph)) {
    if (!mintsBefore(graph, node, (i) => found[i])) continue;
    for (const i of instancesOf(graph, node)) found[i] = 'run';
  }
  return found;
}

/** Finds the part that each node of the graph has. */
export function roleFinder(graph: ExecutionGraph, selection: Selection | undefined): (i: number) => Role {
  const roles = rolesFor(graph, selection);
  const here = selection?.targets && rolesOnHosts(graph, roles, selection.targets);
  return (i) => here?.[i] ?? roles[graph.nodeOf[i] ?? 0] ?? 'run';
}

/** The hosts on which something is run or checked. */
export function hostsTakingPart(graph: ExecutionGraph, selection: Selection | undefined): ReadonlySet<string> {
  const roleOf = roleFinder(graph, selection);
  const hosts = new Set<string>();
  for (let i = 0; i < graph.size; i++) if (graph.use(i) && roleOf(i) !== 'leave') hosts.add(graph.host(i));
  return hosts;
}

/** How many steps take part, and about how many seconds the longest chain of them takes. `weightOf`: where more is known of a step. */
export function extentOf(
  graph: ExecutionGraph,
  selection: Selection | undefined,
  weightOf: (use: StepUse) => number = ({ weight }) => weight,
): { readonly steps: number; readonly seconds: number } {
  const roleOf = roleFinder(graph, selection);
  let steps = 0;
  // Joins are no steps: nobody waits to hear of them.
  for (let i = 0; i < graph.size; i++) if (graph.use(i) && roleOf(i) !== 'leave') steps += 1;
  const takesPart = (i: number) => roleOf(i) !== 'leave';
  return { steps, seconds: criticalPath(weighed(graph, weightOf, takesPart)).seconds };
}

/** Whether the selection leaves out checks that stand before changes. */
export function leavesOutChecks(graph: ExecutionGraph, selection: Selection): boolean {
  const roles = rolesFor(graph, selection);
  return graph.nodes.some((node, i) => guardOf(node) === 'checks' && roles[i] === 'leave');
}

/** What a node of the plan guards. */
export function guardOf({ body }: ExecutionNode): Guard | undefined {
  if (body.type === 'join') return undefined;
  const use = body.type === 'step' ? body.use : body.uses[0];
  return use && fieldOf(use.step.guard, use.want, undefined);
}

/** Whether a step that comes after this node of the plan, on any host, is to run. */
function runsBehind(graph: ExecutionGraph, node: number, roles: readonly Role[]): boolean {
  const { nextStart, next } = graph.edges;
  const runs = (k: number) => graph.use(k) !== undefined && roles[graph.nodeOf[k] ?? 0] === 'run';
  return someBeyond(graph, node, (i) => next.subarray(nextStart[i], nextStart[i + 1]), runs);
}

/** Whether a step that comes before this node of the plan, on any host, takes part and mints. */
function mintsBefore(graph: ExecutionGraph, node: number, roleOf: (i: number) => Role | undefined): boolean {
  const { previousStart, previous } = graph.edges;
  const mints = (k: number) => graph.use(k) !== undefined && natureOf(graph, k) === 'mint' && roleOf(k) !== 'leave';
  return someBeyond(graph, node, (i) => previous.subarray(previousStart[i], previousStart[i + 1]), mints);
}

/** Whether one of the nodes that are reached from a node of the plan is such. */
function someBeyond(
  graph: ExecutionGraph,
  node: number,
  around: (i: number) => Iterable<number>,
  isSuch: (i: number) => boolean,
): boolean {
  const seen = new Uint8Array(graph.size);
  const queue = [...instancesOf(graph, node)];
  for (let i = queue.pop(); i !== undefined; i = queue.pop()) {
    for (const k of around(i)) {
      if (seen[k] === 1) continue;
      if (isSuch(k)) return true;
      seen[k] = 1;
      queue.push(k);
    }
  }
  return false;
}

function instancesOf(graph: ExecutionGraph, node: number): readonly number[] {
  return Array.from({ length: graph.nodes[node]?.hosts.size ?? 0 }, (_, k) => (graph.first[node] ?? 0) + k);
}

function cleanups(graph: ExecutionGraph): readonly number[] {
  return graph.nodes.flatMap((node, i) => (guardOf(node) === 'cleanup' ? [i] : []));
}

/** The nodes whose values or verdicts a node needs. */
function neededBy(graph: ExecutionGraph, i: number): readonly number[] {
  const at = (key: Ref<unknown>['key'], from: (hosts: readonly string[]) => readonly string[]): readonly number[] => {
    const node = graph.indexOf(key);
    if (node === undefined) return [];
    return from(graph.nodes[node]?.hosts.names ?? []).flatMap((host) => graph.at(node, host) ?? []);
  };
  const here = graph.host(i);
  const refs = refsIn(graph.use(i)?.want).flatMap(({ key, source }) =>
    at(key, (all) => (source.from === 'all' ? all : [source.from === 'host' ? source.host : here])),
  );
  const { until } = graph.node(i);
  return until ? [...refs, ...at(until, (all) => (all.length === 1 ? all : [here]))] : refs;
}
