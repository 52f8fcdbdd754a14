import { createHash } from 'node:crypto';
import { kubexmError } from '../model/errors/index.ts';
import { canonical, type Json } from '../model/json.ts';
import { EdgeList, type Edges } from './edges.ts';
import type { HostSet } from './host-set.ts';
import { type Given, linkGates, linkRefs } from './implied-links.ts';
import { type ExecutionFragment, type ExecutionNode, type Link, oneHost } from './node.ts';
import { topologicalOrder } from './order.ts';
import { type NodeKey, wantJson } from './ref.ts';
import type { StepUse } from './step.ts';

/**
 * The whole plan, checked and ready to run. Nodes of the graph are numbers: `first[t] + position of the host` for the
 * t-th node of the plan, so that half a million of them fit in a few flat arrays.
 */
export interface ExecutionGraph {
  readonly nodes: readonly ExecutionNode[];
  /** The edges of the plan, those drawn by Refs and gates among them. */
  readonly links: readonly Link[];
  readonly size: number;
  readonly hosts: readonly string[];
  readonly first: Uint32Array;
  /** Which node of the plan, and which host, a node of the graph is. */
  readonly nodeOf: Uint32Array;
  readonly hostOf: Uint32Array;
  readonly edges: Edges;
  /** A topological order. */
  readonly order: Uint32Array;
  readonly hash: string;
  indexOf(key: NodeKey): number | undefined;
  /** The node of the graph for a node of the plan on a host. */
  at(node: number, host: string): number | undefined;
  node(i: number): ExecutionNode;
  host(i: number): string;
  /** The stable, readable id: `etcd/install/unit@node1`. */
  id(i: number): string;
  use(i: number): StepUse | undefined;
}

/** What a graph may rely on beside its own nodes. */
export interface GraphOptions {
  /** A graph that has run before this one: Refs to its nodes draw no edge. For undoing a task. */
  readonly given?: Pick<ExecutionGraph, 'nodes' | 'indexOf'>;
}

/** Builds and validates the graph of a fragment. Every problem is found before anything runs. */
export function buildGraph(fragment: ExecutionFragment, options: GraphOptions = {}): ExecutionGraph {
  const { given } = options;
  const built = assemble(fragment, (key) => given?.nodes[given.indexOf(key) ?? -1]);
  if ('problems' in built) throw invalid(built.problems);
  return built;
}

function assemble(
  fragment: ExecutionFragment,
  given: Given,
): ExecutionGraph | { readonly problems: readonly string[] } {
  const nodes = [...fragment.nodes.values()];
  const links = [...fragment.links];
  const problems: string[] = [];
  linkRefs(nodes, links, given, problems);
  linkGates(nodes, links, problems);
  const layout = layOut(nodes);
  checkIds(nodes, problems);
  const edges = expand(nodes, links, layout, problems);
  checkUndo(nodes, (key) => nodes[layout.indexByKey.get(key) ?? -1], problems);
  if (problems.length > 0) return { problems };
  const order = topologicalOrder(edges, layout.size);
  const id = (i: number) => `${nodes[layout.nodeOf[i] ?? 0]?.id}@${layout.hosts[layout.hostOf[i] ?? 0]}`;
  if ('cycle' in order) return { problems: [`these steps wait for each other: ${cycleText(order.cycle.map(id))}`] };
  return {
    ...layout,
    nodes,
    links,
    edges,
    order: order.order,
    hash: hashOf(nodes, links),
    indexOf: (key) => layout.indexByKey.get(key),
    at: (node, host) => {
      const position = nodes[node]?.hosts.index.get(host);
      return position === undefined ? undefined : (layout.first[node] ?? 0) + position;
    },
    node: (i) => must(nodes[layout.nodeOf[i] ?? -1]),
    host: (i) => must(layout.hosts[layout.hostOf[i] ?? -1]),
    id,
    use: (i) => useOf(nodes[layout.nodeOf[i] ?? -1], i - (layout.first[layout.nodeOf[i] ?? 0] ?? 0)),
  };
}

interface Layout {
  readonly size: number;
  readonly hosts: readonly string[];
  readonly first: Uint32Array;
  readonly nodeOf: Uint32Array;
  readonly hostOf: Uint32Array;
  readonly indexByKey: ReadonlyMap<NodeKey, number>;
}

function layOut(nodes: readonly ExecutionNode[]): Layout {
  const hostIndex = new Map<string, number>();
  const first = new Uint32Array(nodes.length + 1);
  nodes.forEach((node, i) => {
    first[i + 1] = (first[i] ?? 0) + node.hosts.size;
  });
  const size = first[nodes.length] ?? 0;
  const nodeOf = new Uint32Array(size);
  const hostOf = new Uint32Array(size);
  const columns = new Map<HostSet, Uint32Array>();
  nodes.forEach((node, i) => {
    const start = first[i] ?? 0;
    nodeOf.fill(i, start, first[i + 1]);
    let column = columns.get(node.hosts);
    if (!column) {
      column = Uint32Array.from(node.hosts.names, (name) => {
        const known = hostIndex.get(name) ?? hostIndex.size;
        hostIndex.set(name, known);
        return known;
      });
      columns.set(node.hosts, column);
    }
    hostOf.set(column, start);
  });
  return {
    size,
    hosts: [...hostIndex.keys()],
    first,
    nodeOf,
    hostOf,
    indexByKey: new Map(nodes.map((node, i) => [node.key, i])),
  };
}

function expand(nodes: readonly ExecutionNode[], links: readonly Link[], layout: Layout, problems: string[]): Edges {
  const list = new EdgeList();
  for (const link of links) {
    const from = layout.indexByKey.get(link.from);
    const to = layout.indexByKey.get(link.to);
    if (from === undefined || to === undefined) {
      const name = from === undefined ? link.from.name : link.to.name;
      problems.push(`an edge leads to ${name}, which is not part of the plan`);
      continue;
    }
    const ends = [must(nodes[from]), must(nodes[to])] as const;
    const missing = addLink(list, link, ends, layout.first[from] ?? 0, layout.first[to] ?? 0);
    if (missing !== undefined)
      problems.push(`an edge from ${ends[0].id} to ${ends[1].id} leads over ${missing}, where one of them is not`);
  }
  return list.finish(layout.size);
}

/** Adds a link's edges. Returns a host that it names but that has no such node: an edge is never left out. */
function addLink(
  list: EdgeList,
  link: Link,
  [from, to]: readonly [ExecutionNode, ExecutionNode],
  fromFirst: number,
  toFirst: number,
): string | undefined {
  if (link.how === 'host' && from.hosts === to.hosts && link.on === from.hosts) {
    for (let k = 0; k < from.hosts.size; k++) list.add(fromFirst + k, toFirst + k);
    return undefined;
  }
  const fromHost = link.how === 'spread' ? oneHost(from, link.fromHost) : undefined;
  const toHost = link.how === 'gather' ? oneHost(to, link.toHost) : undefined;
  for (const name of link.on.names) {
    const a = from.hosts.index.get(fromHost ?? name);
    const b = to.hosts.index.get(toHost ?? name);
    if (a === undefined || b === undefined) return a === undefined ? (fromHost ?? name) : (toHost ?? name);
    list.add(fromFirst + a, toFirst + b);
  }
  return undefined;
}

function checkIds(nodes: readonly ExecutionNode[], problems: string[]): void {
  const seen = new Map<string, HostSet | Set<string>>();
  for (const { id, hosts } of nodes) {
    const before = seen.get(id);
    const twice = before && hosts.names.find((name) => before.has(name));
    if (twice !== undefined) problems.push(`two different steps have the id ${id}@${twice}`);
    if (!before) {
      seen.set(id, hosts);
      continue;
    }
    const all = before instanceof Set ? before : new Set(before.names);
    for (const name of hosts.names) all.add(name);
    seen.set(id, all);
  }
}

/** Undoing a task must be as sound as doing it: nobody wants to learn otherwise when it has failed. */
function checkUndo(nodes: readonly ExecutionNode[], given: Given, problems: string[]): void {
  const seen = new Set<ExecutionFragment>();
  for (const { task } of nodes) {
    if (!task?.compensate || seen.has(task.compensate)) continue;
    seen.add(task.compensate);
    const built = assemble(task.compensate, given);
    if ('problems' in built) problems.push(...built.problems.map((problem) => `undoing ${task.id}: ${problem}`));
  }
}

const SHOWN = 12;

function cycleText(ids: readonly string[]): string {
  if (ids.length <= SHOWN) return ids.join(' → ');
  const half = SHOWN / 2;
  return [...ids.slice(0, half), `… ${ids.length - SHOWN} more …`, ...ids.slice(-half)].join(' → ');
}

function hashOf(nodes: readonly ExecutionNode[], links: readonly Link[]): string {
  const hash = createHash('sha256');
  const ids = new Map(nodes.map((node) => [node.key, node.id]));
  const id = (key: NodeKey) => ids.get(key) ?? key.name;
  const sets = new Map<HostSet, string>();
  const hostsText = (set: HostSet) => {
    const text = sets.get(set) ?? createHash('sha256').update(set.names.toSorted().join('\n')).digest('hex');
    sets.set(set, text);
    return text;
  };
  const texts = nodes.map((node) =>
    canonical([node.id, hostsText(node.hosts), bodyJson(node, id), node.until ? id(node.until) : null]),
  );
  const edges = links.map((one) =>
    canonical([id(one.from), id(one.to), one.how, hostsText(one.on), one.fromHost ?? null, one.toHost ?? null]),
  );
  for (const text of [...texts.sort(), ...edges.sort()]) hash.update(text).update('\n');
  return hash.digest('hex');
}

/** The order of hosts means nothing, so it does not count. */
function bodyJson(node: ExecutionNode, id: (key: NodeKey) => string): Json {
  const { body } = node;
  if (body.type === 'join') return ['join', body.needs, body.voters?.names.toSorted() ?? []];
  const useJson = (use: StepUse): Json => [use.step.kind, wantJson(use.want, id)];
  if (body.type === 'step') return useJson(body.use);
  const byHost = body.uses.map((use, i): [string, Json] => [node.hosts.names[i] ?? '', useJson(use)]);
  return Object.fromEntries(byHost);
}

function useOf(node: ExecutionNode | undefined, position: number): StepUse | undefined {
  if (!node || node.body.type === 'join') return undefined;
  return node.body.type === 'step' ? node.body.use : node.body.uses[position];
}

const MOST_PROBLEMS = 50;

function invalid(problems: readonly string[]): Error {
  const more = problems.length > MOST_PROBLEMS ? [`… and ${problems.length - MOST_PROBLEMS} more`] : [];
  const detail = [...problems.slice(0, MOST_PROBLEMS), ...more].join('\n');
  return kubexmError('KX4001', { detail: problems[0] ?? '' }, { detail });
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new RangeError('no such node in the graph');
  return value;
}
