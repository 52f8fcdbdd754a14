import { createHash } from 'node:crypto';
import { kubexmError } from '../model/errors/index.ts';
import { LOCAL } from '../model/host.ts';
import { canonical, type Json } from '../model/json.ts';
import { refsOf } from './combinators.ts';
import { EdgeList, type Edges } from './edges.ts';
import { HostSet } from './host-set.ts';
import type { ExecutionFragment, ExecutionNode, Link } from './node.ts';
import { topologicalOrder } from './order.ts';
import { type NodeKey, type Ref, wantJson } from './ref.ts';
import type { StepUse } from './step.ts';

/**
 * The whole plan, checked and ready to run. Nodes of the graph are numbers: `first[t] + position of the host` for the
 * t-th node of the plan, so that half a million of them fit in a few flat arrays.
 */
export interface ExecutionGraph {
  readonly nodes: readonly ExecutionNode[];
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

/** Builds and validates the graph of a fragment. Every problem is found before anything runs. */
export function buildGraph(fragment: ExecutionFragment): ExecutionGraph {
  const nodes = [...fragment.nodes.values()];
  const links = [...fragment.links];
  const problems: string[] = [];
  linkRefs(nodes, links, problems);
  const layout = layOut(nodes);
  checkIds(nodes, problems);
  const edges = expand(nodes, links, layout, problems);
  checkGates(nodes, layout, problems);
  if (problems.length > 0) throw invalid(problems);
  const order = topologicalOrder(edges, layout.size);
  const id = (i: number) => `${nodes[layout.nodeOf[i] ?? 0]?.id}@${layout.hosts[layout.hostOf[i] ?? 0]}`;
  if ('cycle' in order) throw invalid([`these steps wait for each other: ${order.cycle.map(id).join(' → ')}`]);
  return {
    ...layout,
    nodes,
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

/** Draws the edges that Refs stand for, and finds Refs that nothing produces. */
function linkRefs(nodes: ExecutionNode[], links: Link[], problems: string[]): void {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const joins = new Map<NodeKey, NodeKey>();
  for (const node of [...nodes]) {
    for (const { host, ref } of refsOf(node)) {
      const producer = byKey.get(ref.key);
      const consumers = host === undefined ? node.hosts : HostSet.of([host]);
      if (!producer) {
        problems.push(`${node.id} uses the value of ${ref.key.name}, which is not part of the plan`);
      } else if (ref.source.from === 'all') {
        links.push(...gatherAll(producer, node, consumers, nodes, joins));
      } else {
        links.push(...linkOne(producer, node, consumers, ref, problems));
      }
    }
  }
}

function linkOne(
  producer: ExecutionNode,
  consumer: ExecutionNode,
  consumers: HostSet,
  ref: Ref<unknown>,
  problems: string[],
): readonly Link[] {
  const { source } = ref;
  const missing =
    source.from === 'host'
      ? producer.hosts.has(source.host)
        ? []
        : [source.host]
      : consumers.minus(producer.hosts).names;
  if (missing.length > 0) {
    problems.push(
      `${consumer.id} uses the value of ${producer.id} on ${missing.slice(0, 3).join(', ')}, where nothing produces it`,
    );
    return [];
  }
  if (source.from !== 'host') return [{ from: producer.key, to: consumer.key, how: 'host', on: consumers }];
  if (producer.hosts.size === 1) return [{ from: producer.key, to: consumer.key, how: 'spread', on: consumers }];
  return [{ from: producer.key, to: consumer.key, how: 'spread', on: consumers, fromHost: source.host }];
}

/** All of a producer's values for each consumer: through a join, never m × n edges. */
function gatherAll(
  producer: ExecutionNode,
  consumer: ExecutionNode,
  consumers: HostSet,
  nodes: ExecutionNode[],
  joins: Map<NodeKey, NodeKey>,
): readonly Link[] {
  if (consumers.size === 1) return [{ from: producer.key, to: consumer.key, how: 'gather', on: producer.hosts }];
  const known = joins.get(producer.key);
  const key = known ?? { name: `${producer.key.name}-values` };
  const links: Link[] = [{ from: key, to: consumer.key, how: 'spread', on: consumers }];
  if (known) return links;
  joins.set(producer.key, key);
  nodes.push({
    ...producer,
    key,
    id: `${producer.id}-values`,
    hosts: LOCAL_ONLY,
    body: { type: 'join', needs: 'all' },
  });
  return [...links, { from: producer.key, to: key, how: 'gather', on: producer.hosts }];
}

const LOCAL_ONLY = HostSet.of([LOCAL]);

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
    addLink(list, link, must(nodes[from]), layout.first[from] ?? 0, must(nodes[to]), layout.first[to] ?? 0);
  }
  return list.finish(layout.size);
}

function addLink(
  list: EdgeList,
  link: Link,
  from: ExecutionNode,
  fromFirst: number,
  to: ExecutionNode,
  toFirst: number,
): void {
  if (link.how === 'host' && from.hosts === to.hosts && link.on === from.hosts) {
    for (let k = 0; k < from.hosts.size; k++) list.add(fromFirst + k, toFirst + k);
    return;
  }
  const fixedFrom = link.fromHost === undefined ? 0 : (from.hosts.index.get(link.fromHost) ?? 0);
  for (const name of link.on.names) {
    const a = link.how === 'spread' ? fixedFrom : from.hosts.index.get(name);
    const b = link.how === 'gather' ? 0 : to.hosts.index.get(name);
    if (a !== undefined && b !== undefined) list.add(fromFirst + a, toFirst + b);
  }
}

function checkIds(nodes: readonly ExecutionNode[], problems: string[]): void {
  const seen = new Map<string, HostSet>();
  for (const node of nodes) {
    const before = seen.get(node.id);
    const twice = before?.intersect(node.hosts).names[0];
    if (twice !== undefined) problems.push(`two different steps have the id ${node.id}@${twice}`);
    seen.set(node.id, before ? before.union(node.hosts) : node.hosts);
  }
}

function checkGates(nodes: readonly ExecutionNode[], layout: Layout, problems: string[]): void {
  for (const node of nodes) {
    if (!node.until) continue;
    const gate = nodes[layout.indexByKey.get(node.until) ?? -1];
    if (!gate) problems.push(`${node.id} waits for the gate ${node.until.name}, which is not part of the plan`);
    else if (gate.hosts.size > 1 && node.hosts.minus(gate.hosts).size > 0)
      problems.push(`${node.id} runs on hosts that its gate ${gate.id} does not look at`);
  }
}

function hashOf(nodes: readonly ExecutionNode[], links: readonly Link[]): string {
  const hash = createHash('sha256');
  const ids = new Map(nodes.map((node) => [node.key, node.id]));
  const id = (key: NodeKey) => ids.get(key) ?? key.name;
  const sets = new Map<HostSet, string>();
  const hostsText = (set: HostSet) => {
    const text = sets.get(set) ?? createHash('sha256').update(set.names.join('\n')).digest('hex');
    sets.set(set, text);
    return text;
  };
  const texts = nodes.map((node) =>
    canonical([node.id, hostsText(node.hosts), bodyJson(node, id), node.until ? id(node.until) : null]),
  );
  const edges = links.map((one) =>
    canonical([id(one.from), id(one.to), one.how, hostsText(one.on), one.fromHost ?? null]),
  );
  for (const text of [...texts.sort(), ...edges.sort()]) hash.update(text).update('\n');
  return hash.digest('hex');
}

function bodyJson(node: ExecutionNode, id: (key: NodeKey) => string): Json {
  if (node.body.type === 'join') return ['join', node.body.needs];
  const uses = node.body.type === 'step' ? [node.body.use] : node.body.uses;
  return uses.map((use) => [use.step.kind, wantJson(use.want, id)]);
}

function useOf(node: ExecutionNode | undefined, position: number): StepUse | undefined {
  if (!node || node.body.type === 'join') return undefined;
  return node.body.type === 'step' ? node.body.use : node.body.uses[position];
}

function invalid(problems: readonly string[]): Error {
  return kubexmError('KX4001', { detail: problems[0] ?? '' }, { detail: problems.join('\n') });
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new RangeError('no such node in the graph');
  return value;
}
