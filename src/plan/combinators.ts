import type { Mark } from '../model/mark.ts';
import { beside, chain, single } from './chain.ts';
import { HostSet } from './host-set.ts';
import type { ExecutionFragment, ExecutionNode, JoinNeeds } from './node.ts';
import { hostsOf, LOCAL_SET } from './ports.ts';
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
  const given = Array.isArray(hosts) ? (hosts as readonly H[]) : [hosts as H];
  const set = namesOf(given);
  const list = set.size === given.length ? given : [...new Map(given.map((host) => [host.name, host])).values()];
  const uses = typeof use === 'function' ? list.map(use) : [];
  const first = typeof use === 'function' ? uses[0] : use;
  const name = options.name ?? first?.name ?? 'empty';
  const key: NodeKey = { name };
  const secret = (uses.length > 0 ? uses : first ? [first] : []).some(
    (one) => fieldOf(one.step.nature, one.want, 'state') === 'mint',
  );
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
  const [first, ...rest] = fragments.filter((fragment) => fragment.nodes.size > 0);
  if (!first) return none;
  return rest.length === 0 ? first : chain(first, rest);
}

/** Side by side, in no order. */
export function parallel(...fragments: readonly ExecutionFragment[]): ExecutionFragment {
  const [first, ...rest] = fragments.filter((fragment) => fragment.nodes.size > 0);
  if (!first) return none;
  return rest.length === 0 ? first : beside([first, ...rest]);
}

/** The same for each host, each made for it alone. */
export function perHost<H extends Named>(hosts: readonly H[], make: (host: H) => ExecutionFragment): ExecutionFragment {
  return parallel(...hosts.map(make));
}

/** All hosts wait until all (or enough) of those of `before` have come here. */
export function barrier(
  name: string,
  needs: JoinNeeds,
  before: ExecutionFragment,
  after: ExecutionFragment,
): ExecutionFragment {
  return sequence(before, joinOf(name, needs, before), after);
}

/**
 * What comes last however the hosts of `before` fared: it waits for all of them and needs only `given`, which is a part of
 * `before`. A barrier does not do here: behind it a host goes on only where its own steps succeeded.
 */
export function lastly(
  name: string,
  before: ExecutionFragment,
  given: ExecutionFragment,
  last: ExecutionFragment,
): ExecutionFragment {
  const settled = join(name, 'settled');
  const { nodes, links } = parallel(sequence(before, settled), sequence(settled, last), sequence(given, last));
  return { nodes, links, entryNodes: before.entryNodes, exitNodes: sequence(before, settled, last).exitNodes };
}

/** The join that `barrier` puts between two fragments: one node, so it has m + n edges and not m × n. */
export function join(name: string, needs: JoinNeeds = 'all'): ExecutionFragment {
  return joinOf(name, needs, none);
}

/** A join whose majority is one of a fragment's hosts: others may come here too, but do not outvote them. */
function joinOf(name: string, needs: JoinNeeds, fragment: ExecutionFragment): ExecutionFragment {
  const voters = needs === 'all' ? HostSet.empty : hostsOf(fragment).minus(LOCAL_SET);
  return single({
    key: { name },
    id: name,
    hosts: LOCAL_SET,
    tags: [],
    task: undefined,
    body: voters.size > 0 ? { type: 'join', needs, voters } : { type: 'join', needs },
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
  const batches = batchesOf(hosts, policy).map(make);
  const parts = batches.flatMap((batch, i) => {
    const before = batches[i - 1];
    return before ? [joinOf(`${name}-batch-${i + 1}`, policy.needs ?? 'all', before), batch] : [batch];
  });
  return sequence(...parts);
}

/**
 * For a state that lives only inside a run: when `gate` is already satisfied, the fragment's nodes are superseded,
 * neither checked nor changed. A gate on one host decides for all, otherwise each host for itself. Where gates are nested,
 * the inner one decides; superseded by the outer one, it counts as satisfied. Joins do nothing and need no gate.
 */
export function until(gate: ExecutionFragment, fragment: ExecutionFragment): ExecutionFragment {
  const [key] = gate.nodes.keys();
  if (key === undefined || gate.nodes.size !== 1) throw new TypeError('until needs a gate of exactly one node');
  const gated = mapNodes(fragment, (node) =>
    node.until || node.body.type === 'join' ? node : { ...node, until: key },
  );
  return sequence(gate, gated);
}

/** Says what the success of these steps means to the cluster. */
export function marked<F extends ExecutionFragment>(mark: Mark, fragment: F): F {
  return mapNodes(fragment, (node) => (node.body.type === 'join' ? node : { ...node, mark }));
}

/** The same fragment with every node changed. */
export function mapNodes<F extends ExecutionFragment>(fragment: F, change: (node: ExecutionNode) => ExecutionNode): F {
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

const nameSets = new WeakMap<readonly Named[], HostSet>();

function namesOf(hosts: readonly Named[]): HostSet {
  const known = nameSets.get(hosts);
  if (known && known.size === hosts.length && known.names.every((name, i) => name === hosts[i]?.name)) return known;
  const set = HostSet.of(hosts.map((host) => host.name));
  nameSets.set(hosts, set);
  return set;
}

function batchesOf<H>(hosts: readonly H[], policy: Rolling): readonly (readonly H[])[] {
  const batch =
    typeof policy.batch === 'number' ? policy.batch : (hosts.length * Number.parseFloat(policy.batch)) / 100;
  const canary = policy.canary ?? 0;
  if (!(batch >= 0) || !(canary >= 0))
    throw new RangeError('rolling needs a batch and a canary of no less than 0 hosts');
  const size = Math.max(1, Math.floor(batch));
  const start = Math.min(Math.floor(canary), hosts.length);
  const batches: (readonly H[])[] = start > 0 ? [hosts.slice(0, start)] : [];
  for (let i = start; i < hosts.length; i += size) batches.push(hosts.slice(i, i + size));
  return batches;
}
