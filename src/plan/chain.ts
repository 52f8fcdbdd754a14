import { kubexmError } from '../model/errors/index.ts';
import { LOCAL } from '../model/host.ts';
import { HostSet } from './host-set.ts';
import type { ExecutionFragment, ExecutionNode, Port } from './node.ts';
import { Entries, Exits, hostsOf, LOCAL_SET } from './ports.ts';
import type { NodeKey } from './ref.ts';

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
  const entries = new Entries(first.entryNodes, hostsOf(first));
  const exits = new Exits(first.exitNodes);
  for (const next of rest) {
    const hosts = hostsOf(next);
    addNodes(nodes, next.nodes);
    for (const link of next.links) links.push(link);
    exits.linkTo(next.entryNodes, links);
    exits.cover(hosts);
    exits.add(next.exitNodes);
    entries.add(next.entryNodes, hosts);
  }
  return { nodes, links, entryNodes: entries.ports, exitNodes: exits.ports() };
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
