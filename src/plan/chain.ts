import { kubexmError } from '../model/errors/index.ts';
import { LOCAL } from '../model/host.ts';
import { HostSet } from './host-set.ts';
import type { ExecutionFragment, ExecutionNode, Link, Port } from './node.ts';
import type { NodeKey } from './ref.ts';

/** The local machine alone. */
export const LOCAL_SET = HostSet.of([LOCAL]);

/** A fragment of one node. On the local machine it works for all hosts, so that part of it is a port of its own. */
export function single(node: ExecutionNode): ExecutionFragment {
  const port = (hosts: HostSet): Port => ({ key: node.key, hosts, served: HostSet.empty });
  const mixed = node.hosts.size > 1 && node.hosts.has(LOCAL);
  const ports = mixed ? [port(LOCAL_SET), port(node.hosts.minus(LOCAL_SET))] : [port(node.hosts)];
  return { nodes: new Map([[node.key, node]]), links: [], entryNodes: ports, exitNodes: ports };
}

/** Links fragments one after the other. What has been linked so far grows in place: a plan may have thousands of parts. */
export function chain(first: ExecutionFragment, rest: readonly ExecutionFragment[]): ExecutionFragment {
  const nodes = new Map(first.nodes);
  const links = [...first.links];
  const entryNodes = [...first.entryNodes];
  let exitNodes: readonly Port[] = first.exitNodes;
  let known = hostsOf(first);
  for (const next of rest) {
    addNodes(nodes, next.nodes);
    for (const link of next.links) links.push(link);
    linkPorts(exitNodes, next.entryNodes, links);
    const covered = hostsOf(next);
    for (const port of next.entryNodes) entryNodes.push(...outer(port, known));
    exitNodes = [...next.exitNodes, ...exitNodes.flatMap((port) => outer(port, covered))];
    known = known.union(covered);
  }
  return { nodes, links, entryNodes, exitNodes };
}

/** Puts fragments side by side. */
export function beside(fragments: readonly ExecutionFragment[]): ExecutionFragment {
  const nodes = new Map<NodeKey, ExecutionNode>();
  for (const fragment of fragments) addNodes(nodes, fragment.nodes);
  return {
    nodes,
    links: fragments.flatMap((fragment) => fragment.links),
    entryNodes: fragments.flatMap((fragment) => fragment.entryNodes),
    exitNodes: fragments.flatMap((fragment) => fragment.exitNodes),
  };
}

/** A step that several tasks share belongs to the first of them, whatever else they call it; it must be the same step. */
function addNodes(into: Map<NodeKey, ExecutionNode>, more: ExecutionFragment['nodes']): void {
  for (const [key, node] of more) {
    const known = into.get(key);
    if (!known) into.set(key, node);
    else if (known !== node) into.set(key, shared(known, node));
  }
}

function shared(known: ExecutionNode, node: ExecutionNode): ExecutionNode {
  if (known.body !== node.body || known.hosts !== node.hosts || known.until !== node.until) {
    const detail = `${known.id} and ${node.id} are one step, used in two different ways`;
    throw kubexmError('KX4001', { detail }, { detail });
  }
  return { ...known, tags: [...new Set([...known.tags, ...node.tags])] };
}

const FEW_PAIRS = 64;

function linkPorts(exits: readonly Port[], entries: readonly Port[], links: Link[]): void {
  if (exits.length * entries.length <= FEW_PAIRS) {
    for (const from of exits) for (const to of entries) linkPair(from, to, links);
    return;
  }
  const locals = entries.filter(isLocal);
  const byHost = new Map<string, Port[]>();
  for (const port of entries) {
    if (isLocal(port)) continue;
    for (const name of port.hosts.names) {
      const there = byHost.get(name);
      if (there) there.push(port);
      else byHost.set(name, [port]);
    }
  }
  for (const from of exits) {
    const near = isLocal(from)
      ? entries
      : new Set([...locals, ...from.hosts.names.flatMap((name) => byHost.get(name) ?? [])]);
    for (const to of near) linkPair(from, to, links);
  }
}

function linkPair(from: Port, to: Port, links: Link[]): void {
  const link = linkOf(from, to);
  if (link && link.on.size > 0) links.push(link);
}

function linkOf(from: Port, to: Port): Link | undefined {
  const ends = { from: from.key, to: to.key };
  if (from.key === to.key) return undefined;
  if (isLocal(from) && isLocal(to)) return { ...ends, how: 'host', on: LOCAL_SET };
  if (isLocal(from)) return to.viaLocal ? undefined : { ...ends, how: 'spread', on: to.hosts.minus(from.served) };
  if (isLocal(to)) return from.viaLocal ? undefined : { ...ends, how: 'gather', on: from.hosts.minus(to.served) };
  return { ...ends, how: 'host', on: from.hosts.intersect(to.hosts) };
}

/**
 * A port of the inner fragment as it looks once another stands beside it on `others`: on those hosts it is no longer the
 * first or last. A local node stays one until another local node stands there, but needs no second edge to those hosts.
 * A host's own order always has edges of its own: a join may be passed without that host, the host's failed step may not.
 */
function outer(port: Port, others: HostSet): readonly Port[] {
  const local = others.has(LOCAL);
  if (isLocal(port)) return local ? [] : [{ ...port, served: port.served.union(others) }];
  const hosts = port.hosts.minus(others);
  if (hosts.size === 0) return [];
  return local && !port.viaLocal ? [{ ...port, hosts, viaLocal: true }] : [{ ...port, hosts }];
}

function isLocal(port: Port): boolean {
  return port.hosts === LOCAL_SET || (port.hosts.size === 1 && port.hosts.has(LOCAL));
}

/** All hosts of a fragment: each has an entry. */
export function hostsOf(fragment: ExecutionFragment): HostSet {
  const sets = new Set(fragment.entryNodes.map((port) => port.hosts));
  if (sets.size <= FEW_PAIRS) return [...sets].reduce((all, set) => all.union(set), HostSet.empty);
  return HostSet.of([...sets].flatMap((set) => set.names));
}
