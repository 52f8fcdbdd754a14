import { LOCAL } from '../model/host.ts';
import type { ExecutionGraph } from './graph.ts';
import type { JoinBody } from './node.ts';

/** What a join needs to know about the nodes before it, all of them settled. */
export interface JoinView {
  succeeded(node: number): boolean;
  isLost(host: string): boolean;
}

/**
 * Whether a join is reached. Hosts are counted, not nodes: one that came by two ways must have succeeded on both. What the
 * local machine does is done for all, so no majority makes up for it.
 */
export function joinReached(graph: ExecutionGraph, join: number, body: JoinBody, view: JoinView): boolean {
  const { previousStart, previous } = graph.edges;
  const hosts = new Map<string, boolean>();
  for (const before of previous.subarray(previousStart[join], previousStart[join + 1])) {
    const host = graph.host(before);
    const good = view.succeeded(before);
    if (!good && (host === LOCAL || body.needs === 'all')) return false;
    if (host !== LOCAL && (body.voters?.has(host) ?? true)) hosts.set(host, good && (hosts.get(host) ?? true));
  }
  if (body.needs === 'settled') return true;
  if (body.needs === 'present') return [...hosts].every(([host, good]) => good || view.isLost(host));
  const good = [...hosts.values()].filter(Boolean).length;
  return hosts.size === 0 || body.needs === 'all' || good * 2 > hosts.size;
}
