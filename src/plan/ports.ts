import { LOCAL } from '../model/host.ts';
import { HostSet } from './host-set.ts';
import type { ExecutionFragment, Link, Port } from './node.ts';

/** The local machine alone. */
export const LOCAL_SET = HostSet.of([LOCAL]);

/** Whether a port is that of a node on the local machine, which works for all hosts. */
function isLocal(port: Port): boolean {
  return port.hosts === LOCAL_SET || (port.hosts.size === 1 && port.hosts.has(LOCAL));
}

/** All hosts of a fragment: each has an entry. */
export function hostsOf(fragment: ExecutionFragment): HostSet {
  const sets = new Set(fragment.entryNodes.map((port) => port.hosts));
  if (sets.size <= FEW) return [...sets].reduce((all, set) => all.union(set), HostSet.empty);
  return HostSet.of([...sets].flatMap((set) => set.names));
}

/**
 * The last nodes of a growing sequence. A local node stays last until another local node stands behind it, but needs no
 * second edge to hosts it is already linked to. A host's own order always has edges of its own: a join may be passed without
 * that host, the host's failed step may not.
 */
export class Exits {
  private locals: Port[] = [];
  /** Hosts' last nodes that no local node has waited for yet. */
  private fresh: Port[] = [];
  /** Those that one has, by host: a rolling change leaves thousands of them behind. */
  private readonly passed = new Map<string, Port[]>();

  constructor(ports: readonly Port[]) {
    this.add(ports);
  }

  add(ports: readonly Port[]): void {
    for (const port of ports) {
      if (isLocal(port)) this.locals.push(port);
      else if (port.viaLocal) this.pass(port);
      else this.fresh.push(port);
    }
  }

  /** Links them to the first nodes of what comes next. */
  linkTo(entries: readonly Port[], links: Link[]): void {
    linkPorts([...this.fresh, ...this.locals], entries, links);
    if (this.passed.size === 0) return;
    for (const to of entries) {
      if (isLocal(to)) continue;
      const met = new Map<Port, string[]>();
      for (const name of to.hosts.names) for (const from of this.passed.get(name) ?? []) grow(met, from, name);
      for (const [from, names] of met)
        links.push({ from: from.key, to: to.key, how: 'host', on: whole(names, to, from) });
    }
  }

  /** Leaves only those that are still last once others stand behind them on these hosts. */
  cover(hosts: HostSet): void {
    const local = hosts.has(LOCAL);
    if (this.passed.size > 0) for (const name of hosts.names) this.passed.delete(name);
    this.locals = local ? [] : this.locals.map((port) => ({ ...port, served: port.served.union(hosts) }));
    const fresh = this.fresh.flatMap((port) => without(port, hosts));
    this.fresh = local ? [] : fresh;
    if (local) for (const port of fresh) this.pass({ ...port, viaLocal: true });
  }

  ports(): readonly Port[] {
    const hosts = new Map<Port, string[]>();
    for (const [name, ports] of this.passed) for (const port of ports) grow(hosts, port, name);
    const passed = [...hosts].map(([port, names]) => ({ ...port, hosts: whole(names, port) }));
    return [...this.locals, ...this.fresh, ...passed];
  }

  private pass(port: Port): void {
    for (const name of port.hosts.names) grow(this.passed, name, port);
  }
}

/** The first nodes of a growing sequence: what comes later is first only on hosts that were not there before. */
export class Entries {
  readonly ports: Port[];
  private readonly known: Set<string>;

  constructor(ports: readonly Port[], hosts: HostSet) {
    this.ports = [...ports];
    this.known = new Set(hosts.names);
  }

  add(ports: readonly Port[], hosts: HostSet): void {
    const local = this.known.has(LOCAL);
    for (const port of ports) {
      if (!isLocal(port)) {
        for (const one of without(port, this.known)) this.ports.push(local ? { ...one, viaLocal: true } : one);
      } else if (!local) {
        this.ports.push({ ...port, served: port.served.union(HostSet.of([...this.known])) });
      }
    }
    for (const name of hosts.names) this.known.add(name);
  }
}

const FEW = 64;

function linkPorts(exits: readonly Port[], entries: readonly Port[], links: Link[]): void {
  if (exits.length * entries.length <= FEW) {
    for (const from of exits) for (const to of entries) linkPair(from, to, links);
    return;
  }
  const locals = entries.filter(isLocal);
  const byHost = new Map<string, Port[]>();
  for (const port of entries) if (!isLocal(port)) for (const name of port.hosts.names) grow(byHost, name, port);
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
  if (isLocal(to)) return { ...ends, how: 'gather', on: from.hosts.minus(to.served) };
  return { ...ends, how: 'host', on: from.hosts.intersect(to.hosts) };
}

function without(port: Port, others: Pick<HostSet, 'has'>): readonly Port[] {
  if (others === port.hosts) return [];
  const names = port.hosts.names.filter((name) => !others.has(name));
  if (names.length === port.hosts.size) return [port];
  return names.length === 0 ? [] : [{ ...port, hosts: HostSet.of(names) }];
}

/** The set of these names: one that is there already, where they are the same. */
function whole(names: readonly string[], ...ports: readonly Port[]): HostSet {
  return ports.find((port) => port.hosts.isExactly(names))?.hosts ?? HostSet.of(names);
}

function grow<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}
