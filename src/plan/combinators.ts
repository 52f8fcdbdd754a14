import { LOCAL } from '../model/host.ts';
import { HostSet } from './host-set.ts';
import type { ExecutionFragment, ExecutionNode, JoinNeeds, Link, Port } from './node.ts';
import { makeRef, type NodeKey, type Ref, refsIn } from './ref.ts';
import { fieldOf, type StepUse } from './step.ts';

/** Anything with a host's name: combinators need no more. */
export interface Named {
  readonly name: string;
}

/** A fragment of one step, whose value can be passed on. */
export interface StepFragment<O> extends ExecutionFragment {
  /** The value produced on the consumer's own host, or on the only host there is. */
  ref(): Ref<O>;
  /** The value produced on a named host. */
  refFrom(host: Named): Ref<O>;
  /** The values of all hosts, by host name. */
  refs(): Ref<Readonly<Record<string, O>>>;
}

const none: ExecutionFragment = { nodes: new Map(), links: [], entryNodes: [], exitNodes: [] };

/** An empty fragment. */
export function nothing(): ExecutionFragment {
  return none;
}

/** A step on hosts. Give a function when the want differs from host to host. */
export function on<O, H extends Named>(
  hosts: H | readonly H[],
  use: StepUse<O> | ((host: H) => StepUse<O>),
  options: { readonly name?: string; readonly tags?: readonly string[] } = {},
): StepFragment<O> {
  const list = Array.isArray(hosts) ? (hosts as readonly H[]) : [hosts as H];
  const uses = typeof use === 'function' ? list.map(use) : [];
  const first = typeof use === 'function' ? uses[0] : use;
  const name = options.name ?? first?.name ?? 'empty';
  const key: NodeKey = { name };
  const set = namesOf(list);
  const secret = first !== undefined && fieldOf(first.step.nature, first.want, 'state') === 'mint';
  const ref = <T>(source: Parameters<typeof makeRef>[1]): Ref<T> => makeRef<T>(key, source, secret);
  const handle = {
    ref: () => ref<O>(set.size === 1 ? { from: 'host', host: set.names[0] ?? '' } : { from: 'same' }),
    refFrom: (host: Named) => ref<O>({ from: 'host', host: host.name }),
    refs: () => ref<Readonly<Record<string, O>>>({ from: 'all' }),
  };
  if (first === undefined || set.size === 0) return { ...none, ...handle };
  const node: ExecutionNode = {
    key,
    id: name,
    hosts: set,
    tags: options.tags ?? [],
    task: undefined,
    body: typeof use === 'function' ? { type: 'steps', uses } : { type: 'step', use },
    until: undefined,
  };
  return { ...single(node), ...handle };
}

/** One after the other, host by host: a host goes on as soon as it is done. Nodes of the local machine link to all. */
export function sequence(...fragments: readonly ExecutionFragment[]): ExecutionFragment {
  return fragments.reduce(chain, none);
}

/** Side by side, in no order. */
export function parallel(...fragments: readonly ExecutionFragment[]): ExecutionFragment {
  return fragments.reduce(
    (a, b) => ({
      nodes: merge(a.nodes, b.nodes),
      links: [...a.links, ...b.links],
      entryNodes: [...a.entryNodes, ...b.entryNodes],
      exitNodes: [...a.exitNodes, ...b.exitNodes],
    }),
    none,
  );
}

/** The same for each host, each made for it alone. */
export function perHost<H extends Named>(hosts: readonly H[], make: (host: H) => ExecutionFragment): ExecutionFragment {
  return parallel(...hosts.map(make));
}

/** All hosts wait until all (or enough) of them have come here. */
export function barrier(
  name: string,
  needs: JoinNeeds,
  before: ExecutionFragment,
  after: ExecutionFragment,
): ExecutionFragment {
  return sequence(before, join(name, needs), after);
}

/** The join that `barrier` puts between two fragments: one node, so m + n edges and not m × n. */
export function join(name: string, needs: JoinNeeds = 'all'): ExecutionFragment {
  const key: NodeKey = { name };
  return single({
    key,
    id: name,
    hosts: LOCAL_SET,
    tags: [],
    task: undefined,
    body: { type: 'join', needs },
    until: undefined,
  });
}

/** How a rolling change proceeds. */
export interface Rolling {
  /** Hosts at once: a number, or a share such as `20%`. */
  readonly batch: number | `${number}%`;
  /** So many hosts go first and alone. */
  readonly canary?: number;
  readonly needs?: JoinNeeds;
}

/** Batch after batch, each waiting for the one before. */
export function rolling<H extends Named>(
  name: string,
  hosts: readonly H[],
  policy: Rolling,
  make: (hosts: readonly H[]) => ExecutionFragment,
): ExecutionFragment {
  const batches = batchesOf(hosts, policy);
  const parts = batches.flatMap((batch, i) =>
    i === 0 ? [make(batch)] : [join(`${name}-batch-${i + 1}`, policy.needs), make(batch)],
  );
  return sequence(...parts);
}

/**
 * For a state that lives only inside a run: when `gate` is already satisfied, the fragment's nodes are superseded,
 * neither checked nor changed. A gate on one host decides for all, otherwise each host for itself.
 */
export function until(gate: ExecutionFragment, fragment: ExecutionFragment): ExecutionFragment {
  const [key] = gate.nodes.keys();
  if (key === undefined || gate.nodes.size !== 1) throw new TypeError('until needs a gate of exactly one node');
  const gated = mapNodes(fragment, (node) => (node.until ? node : { ...node, until: key }));
  return sequence(gate, gated);
}

/** The same fragment with every node changed. */
export function mapNodes(
  fragment: ExecutionFragment,
  change: (node: ExecutionNode) => ExecutionNode,
): ExecutionFragment {
  return { ...fragment, nodes: new Map([...fragment.nodes].map(([key, node]) => [key, change(node)])) };
}

/** The Refs of a node, whatever its hosts. */
export function refsOf(
  node: ExecutionNode,
): readonly { readonly host: string | undefined; readonly ref: Ref<unknown> }[] {
  if (node.body.type === 'join') return [];
  if (node.body.type === 'step') return refsIn(node.body.use.want).map((ref) => ({ host: undefined, ref }));
  return node.body.uses.flatMap((use, i) => refsIn(use.want).map((ref) => ({ host: node.hosts.names[i], ref })));
}

const LOCAL_SET = HostSet.of([LOCAL]);

function single(node: ExecutionNode): ExecutionFragment {
  const port: Port = { key: node.key, hosts: node.hosts, served: HostSet.empty };
  return { nodes: new Map([[node.key, node]]), links: [], entryNodes: [port], exitNodes: [port] };
}

function chain(a: ExecutionFragment, b: ExecutionFragment): ExecutionFragment {
  if (a.nodes.size === 0) return b;
  if (b.nodes.size === 0) return a;
  const covered = hostsOf(b);
  const known = hostsOf(a);
  return {
    nodes: merge(a.nodes, b.nodes),
    links: [...a.links, ...b.links, ...a.exitNodes.flatMap((from) => b.entryNodes.flatMap((to) => link(from, to)))],
    entryNodes: [...a.entryNodes, ...b.entryNodes.flatMap((port) => outer(port, known))],
    exitNodes: [...b.exitNodes, ...a.exitNodes.flatMap((port) => outer(port, covered))],
  };
}

function link(from: Port, to: Port): readonly Link[] {
  if (from.key === to.key) return [];
  if (isLocal(from) && isLocal(to)) return [{ from: from.key, to: to.key, how: 'host', on: LOCAL_SET }];
  if (isLocal(from)) return nonEmpty({ from: from.key, to: to.key, how: 'spread', on: to.hosts.minus(from.served) });
  if (isLocal(to)) return nonEmpty({ from: from.key, to: to.key, how: 'gather', on: from.hosts.minus(to.served) });
  return nonEmpty({ from: from.key, to: to.key, how: 'host', on: from.hosts.intersect(to.hosts) });
}

function nonEmpty(one: Link): readonly Link[] {
  return one.on.size === 0 ? [] : [one];
}

/**
 * A port of the inner fragment as it looks once another stands beside it on `others`: on those hosts it is no longer the
 * first or last. A local node stays one until another local node stands there, but needs no second edge to those hosts.
 */
function outer(port: Port, others: HostSet): readonly Port[] {
  if (isLocal(port)) return others.has(LOCAL) ? [] : [{ ...port, served: port.served.union(others) }];
  const hosts = port.hosts.minus(others);
  return hosts.size === 0 ? [] : [{ ...port, hosts }];
}

function isLocal(port: Port): boolean {
  return port.hosts === LOCAL_SET || (port.hosts.size === 1 && port.hosts.has(LOCAL));
}

function hostsOf(fragment: ExecutionFragment): HostSet {
  return fragment.entryNodes.reduce((set, port) => set.union(port.hosts), HostSet.empty);
}

function merge(a: ExecutionFragment['nodes'], b: ExecutionFragment['nodes']): ReadonlyMap<NodeKey, ExecutionNode> {
  return a.size === 0 ? b : b.size === 0 ? a : new Map([...a, ...b]);
}

const nameSets = new WeakMap<readonly Named[], HostSet>();

function namesOf(hosts: readonly Named[]): HostSet {
  let set = nameSets.get(hosts);
  if (!set) {
    const only = hosts.length === 1 ? hosts[0] : undefined;
    set = only?.name === LOCAL ? LOCAL_SET : HostSet.of(hosts.map((host) => host.name));
    nameSets.set(hosts, set);
  }
  return set;
}

function batchesOf<H>(hosts: readonly H[], policy: Rolling): readonly (readonly H[])[] {
  const canary = Math.min(policy.canary ?? 0, hosts.length);
  const size =
    typeof policy.batch === 'number'
      ? policy.batch
      : Math.floor((hosts.length * Number.parseFloat(policy.batch)) / 100);
  const batches: (readonly H[])[] = canary > 0 ? [hosts.slice(0, canary)] : [];
  for (let i = canary; i < hosts.length; i += Math.max(1, size)) batches.push(hosts.slice(i, i + Math.max(1, size)));
  return batches;
}
