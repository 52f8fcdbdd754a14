import { refsOf } from './combinators.ts';
import { HostSet } from './host-set.ts';
import type { ExecutionNode, Link } from './node.ts';
import { LOCAL_SET } from './ports.ts';
import type { NodeKey, Ref } from './ref.ts';

/** Finds nodes that are not part of this graph but whose values are there already. */
export type Given = (key: NodeKey) => ExecutionNode | undefined;

/** Draws the edges that Refs stand for, and finds Refs that nothing produces. May add joins to `nodes`. */
export function linkRefs(nodes: ExecutionNode[], links: Link[], given: Given, problems: string[]): void {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const joins = new Map<NodeKey, NodeKey>();
  const add = linkAdder(links);
  for (const node of [...nodes]) {
    for (const { ref, hosts } of inputsOf(node)) {
      const inside = byKey.get(ref.key);
      const producer = inside ?? given(ref.key);
      if (!producer) {
        problems.push(`${node.id} uses the value of ${ref.key.name}, which is not part of the plan`);
        continue;
      }
      const missing = missingHosts(producer, hosts, ref);
      if (missing.length > 0) {
        const where = missing.slice(0, 3).join(', ');
        problems.push(`${node.id} uses the value of ${producer.id} on ${where}, where nothing produces it`);
      } else if (inside) {
        const drawn =
          ref.source.from === 'all'
            ? gatherAll(inside, node, hosts, nodes, joins)
            : [linkOne(inside, node, hosts, ref.source.from === 'host' ? ref.source.host : undefined)];
        for (const link of drawn) add(link);
      }
    }
  }
}

/** Draws the edges from gates to what they decide about: nothing may start before its gate has looked. */
export function linkGates(nodes: readonly ExecutionNode[], links: Link[], problems: string[]): void {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const add = linkAdder(links);
  for (const node of nodes) {
    if (!node.until) continue;
    const gate = byKey.get(node.until);
    if (!gate) {
      problems.push(`${node.id} waits for the gate ${node.until.name}, which is not part of the plan`);
    } else if (gate.body.type === 'join') {
      problems.push(`${node.id} has the join ${gate.id} as its gate, which looks at nothing`);
    } else if (gate.hosts.size > 1 && node.hosts.minus(gate.hosts).size > 0) {
      problems.push(`${node.id} runs on hosts that its gate ${gate.id} does not look at`);
    } else {
      add(linkOne(gate, node, node.hosts, gate.hosts.size === 1 ? gate.hosts.names[0] : undefined));
    }
  }
}

/** The Refs of a node, each once, with the hosts that use it. */
function inputsOf(node: ExecutionNode): readonly { readonly ref: Ref<unknown>; readonly hosts: HostSet }[] {
  const found = new Map<NodeKey, Map<string, { readonly ref: Ref<unknown>; readonly hosts: (string | undefined)[] }>>();
  for (const { host, ref } of refsOf(node)) {
    const source = ref.source.from === 'host' ? `host ${ref.source.host}` : ref.source.from;
    const ofProducer = found.get(ref.key) ?? new Map();
    found.set(ref.key, ofProducer);
    const known = ofProducer.get(source);
    if (known) known.hosts.push(host);
    else ofProducer.set(source, { ref, hosts: [host] });
  }
  return [...found.values()].flatMap((ofProducer) =>
    [...ofProducer.values()].map(({ ref, hosts }) => {
      const set = HostSet.of(hosts.flatMap((host) => (host === undefined ? node.hosts.names : [host])));
      return { ref, hosts: set.size === node.hosts.size ? node.hosts : set };
    }),
  );
}

function missingHosts(producer: ExecutionNode, consumers: HostSet, ref: Ref<unknown>): readonly string[] {
  if (ref.source.from === 'all') return [];
  if (ref.source.from === 'same') return consumers.minus(producer.hosts).names;
  return producer.hosts.has(ref.source.host) ? [] : [ref.source.host];
}

/** From the named host of a producer, or from each host to itself. */
function linkOne(from: ExecutionNode, to: ExecutionNode, on: HostSet, host: string | undefined): Link {
  const ends = { from: from.key, to: to.key };
  if (host === undefined || (on.size === 1 && on.has(host))) return { ...ends, how: 'host', on };
  return from.hosts.size === 1 ? { ...ends, how: 'spread', on } : { ...ends, how: 'spread', on, fromHost: host };
}

/** All of a producer's values for each consumer: through a join, never m × n edges. */
function gatherAll(
  producer: ExecutionNode,
  consumer: ExecutionNode,
  consumers: HostSet,
  nodes: ExecutionNode[],
  joins: Map<NodeKey, NodeKey>,
): readonly Link[] {
  if (producer.hosts.size === 1) return [linkOne(producer, consumer, consumers, producer.hosts.names[0])];
  if (consumers.size === 1) {
    const link: Link = { from: producer.key, to: consumer.key, how: 'gather', on: producer.hosts };
    const [toHost] = consumers.names;
    return [consumer.hosts.size === 1 || toHost === undefined ? link : { ...link, toHost }];
  }
  const known = joins.get(producer.key);
  const key = known ?? { name: `${producer.key.name}-values` };
  const links: Link[] = [{ from: key, to: consumer.key, how: 'spread', on: consumers }];
  if (known) return links;
  joins.set(producer.key, key);
  nodes.push({
    ...producer,
    key,
    id: `${producer.id}-values`,
    hosts: LOCAL_SET,
    body: { type: 'join', needs: 'all', of: producer.key },
    until: undefined,
  });
  return [...links, { from: producer.key, to: key, how: 'gather', on: producer.hosts }];
}

/** Adds links that are not there yet. */
function linkAdder(links: Link[]): (link: Link) => void {
  let byEnds: Map<NodeKey, Map<NodeKey, Link[]>> | undefined;
  const between = (link: Link): Link[] => {
    byEnds ??= new Map();
    const from = byEnds.get(link.from) ?? new Map<NodeKey, Link[]>();
    byEnds.set(link.from, from);
    const found = from.get(link.to) ?? [];
    from.set(link.to, found);
    return found;
  };
  return (link) => {
    if (!byEnds) for (const one of links) between(one).push(one);
    const known = between(link);
    if (known.some((one) => covers(one, link))) return;
    known.push(link);
    links.push(link);
  };
}

function covers(one: Link, link: Link): boolean {
  return (
    one.how === link.how &&
    one.fromHost === link.fromHost &&
    one.toHost === link.toHost &&
    (one.on === link.on || link.on.minus(one.on).size === 0)
  );
}
