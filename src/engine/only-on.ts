import { mapNodes } from '../plan/combinators.ts';
import { HostSet } from '../plan/host-set.ts';
import { type ExecutionFragment, type ExecutionNode, type Link, oneHost } from '../plan/node.ts';

/** The part of a fragment that lies on these hosts. */
export function onlyOn(fragment: ExecutionFragment, hosts: readonly string[]): ExecutionFragment {
  const keep = HostSet.of(hosts);
  const narrowed = mapNodes(fragment, (node) => {
    const body =
      node.body.type === 'steps'
        ? { ...node.body, uses: node.body.uses.filter((_, k) => keep.has(node.hosts.names[k] ?? '')) }
        : node.body;
    return { ...node, body, hosts: HostSet.of(node.hosts.names.filter((name) => keep.has(name))) };
  });
  const nodes = new Map([...narrowed.nodes].filter(([, node]) => node.hosts.size > 0));
  const links = narrowed.links.flatMap((link): Link[] => {
    const [from, to] = [fragment.nodes.get(link.from), fragment.nodes.get(link.to)];
    if (!from || !to || !nodes.has(link.from) || !nodes.has(link.to) || !endsOn(keep, link, from, to)) return [];
    const on = HostSet.of(link.on.names.filter((name) => keep.has(name)));
    return on.size === 0 ? [] : [{ ...link, on }];
  });
  return { ...narrowed, nodes, links };
}

function endsOn(keep: HostSet, link: Link, from: ExecutionNode, to: ExecutionNode): boolean {
  if (link.how === 'spread') return keep.has(oneHost(from, link.fromHost));
  return link.how === 'host' || keep.has(oneHost(to, link.toHost));
}
