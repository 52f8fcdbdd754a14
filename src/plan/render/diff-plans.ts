import type { Json } from '../../model/json.ts';
import { compressHosts, hostsText } from '../../model/text/hosts.ts';
import { type Diff, diffLines } from '../diff.ts';
import { compareJson } from './compare.ts';
import type { PlanDocument, PlanNode, PlanStep } from './document.ts';
import { plain } from './words.ts';

/** A node that only one of two plans has, on these hosts. */
export interface PlanNodeDiff {
  readonly id: string;
  readonly hosts: readonly string[];
}

/** A node that both plans have, but not the same. */
export interface PlanNodeChange extends PlanNodeDiff {
  readonly changes: Diff;
}

/** How a second plan differs from a first. */
export interface PlanDiff {
  readonly added: readonly PlanNodeDiff[];
  readonly removed: readonly PlanNodeDiff[];
  readonly changed: readonly PlanNodeChange[];
  /** The plans differ, but in nothing that may be shown: in secret content, or in how kubexm put them together. */
  readonly hidden: boolean;
}

/** What one node of the plan is on one host. */
interface Instance {
  readonly node: PlanNode;
  readonly step: PlanStep | undefined;
}

/** Compares two plans node by node, host by host; hosts with the same changes are grouped. */
export function diffPlans(a: PlanDocument, b: PlanDocument): PlanDiff {
  const before = byId(a);
  const after = byId(b);
  const none: ReadonlyMap<string, Instance> = new Map();
  const added: PlanNodeDiff[] = [];
  const removed: PlanNodeDiff[] = [];
  const changed: PlanNodeChange[] = [];
  const waits = [waitsOf(a), waitsOf(b)] as const;
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const old = before.get(id) ?? none;
    const now = after.get(id) ?? none;
    const gone = [...old.keys()].filter((host) => !now.has(host));
    const come = [...now.keys()].filter((host) => !old.has(host));
    if (gone.length > 0) removed.push({ id, hosts: gone });
    if (come.length > 0) added.push({ id, hosts: come });
    changed.push(...changesOf(id, old, now, [a, b]));
    const links = compareWaits(waits[0].get(id), waits[1].get(id));
    const kept = [...old.keys()].filter((host) => now.has(host));
    if (kept.length > 0 && links.length > 0) changed.push({ id, hosts: kept, changes: links });
  }
  const same = added.length + removed.length + changed.length === 0;
  return { added, removed, changed, hidden: same && a.hash !== b.hash };
}

/** A plan's difference as lines. */
export function planDiffLines(diff: PlanDiff): readonly string[] {
  const on = (one: PlanNodeDiff) => plain(`${one.id} on ${hostsText(one.hosts, 60)}`);
  return [
    ...diff.removed.map((one) => `- ${on(one)}`),
    ...diff.added.map((one) => `+ ${on(one)}`),
    ...diff.changed.flatMap((one) => [`~ ${on(one)}`, ...diffLines(one.changes).map((line) => `    ${plain(line)}`)]),
    ...(diff.hidden ? ['~ secret content, or how kubexm put the plan together'] : []),
  ];
}

function byId(plan: PlanDocument): ReadonlyMap<string, ReadonlyMap<string, Instance>> {
  const found = new Map<string, Map<string, Instance>>();
  for (const node of plan.nodes) {
    const hosts = found.get(node.id) ?? new Map<string, Instance>();
    found.set(node.id, hosts);
    for (const host of plan.hostSets[node.hosts] ?? []) hosts.set(host, { node, step: undefined });
    for (const step of node.steps ?? [])
      for (const host of plan.hostSets[step.hosts] ?? []) hosts.set(host, { node, step });
  }
  return found;
}

function changesOf(
  id: string,
  before: ReadonlyMap<string, Instance>,
  after: ReadonlyMap<string, Instance>,
  plans: readonly [PlanDocument, PlanDocument],
): readonly PlanNodeChange[] {
  const pairs = new Map<
    object,
    Map<object, { readonly from: Instance; readonly to: Instance; readonly hosts: string[] }>
  >();
  for (const [host, from] of before) {
    const to = after.get(host);
    if (!to) continue;
    const ofFrom = pairs.get(from.step ?? from.node) ?? new Map();
    pairs.set(from.step ?? from.node, ofFrom);
    const known = ofFrom.get(to.step ?? to.node) ?? { from, to, hosts: [] };
    ofFrom.set(to.step ?? to.node, known);
    known.hosts.push(host);
  }
  return [...pairs.values()].flatMap((ofFrom) =>
    [...ofFrom.values()].flatMap(({ from, to, hosts }) => {
      const changes = compareInstances(shown(from, plans[0]), shown(to, plans[1]));
      return changes.length === 0 ? [] : [{ id, hosts, changes }];
    }),
  );
}

/** The parts of a node that count, without host sets, whose numbers mean nothing outside their plan. */
function shown({ node, step }: Instance, plan: PlanDocument): Readonly<Record<string, Json | undefined>> {
  return {
    needs: node.needs,
    voters: node.voters === undefined ? undefined : compressHosts((plan.hostSets[node.voters] ?? []).toSorted()),
    'values of': node.valuesOf,
    module: node.module,
    task: node.task,
    tags: node.tags,
    until: node.until,
    kind: step?.kind,
    nature: step?.nature,
    'once only': step?.once,
    irreversible: step?.irreversible,
    want: step?.want,
    title: step?.title,
  };
}

function compareInstances(from: ReturnType<typeof shown>, to: ReturnType<typeof shown>): Diff {
  const changes = Object.keys(from).flatMap((name) => compareJson(name, from[name], to[name]));
  const more = changes.filter((change) => change.what !== 'title');
  return more.length > 0 ? more : changes;
}

/** For each node, what it waits for and on which hosts. */
function waitsOf(plan: PlanDocument): ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Map<string, Set<string>>>();
  for (const link of plan.links) {
    const where =
      link.how === 'host' ? ' host by host' : link.how === 'spread' ? ` of ${link.fromHost}` : ` for ${link.toHost}`;
    const ofNode = found.get(link.to) ?? new Map<string, Set<string>>();
    found.set(link.to, ofNode);
    const hosts = ofNode.get(`${link.from}${where}`) ?? new Set<string>();
    ofNode.set(`${link.from}${where}`, hosts);
    for (const host of plan.hostSets[link.on] ?? []) hosts.add(host);
  }
  return found;
}

function compareWaits(
  from: ReadonlyMap<string, ReadonlySet<string>> | undefined,
  to: ReadonlyMap<string, ReadonlySet<string>> | undefined,
): Diff {
  const names = [...new Set([...(from?.keys() ?? []), ...(to?.keys() ?? [])])];
  return names.flatMap((name) => {
    const gone = [...(from?.get(name) ?? [])].filter((host) => !to?.get(name)?.has(host));
    const come = [...(to?.get(name) ?? [])].filter((host) => !from?.get(name)?.has(host));
    return [
      ...(gone.length > 0 ? [{ what: 'waits for', from: `${name} on ${hostsText(gone, 60)}` }] : []),
      ...(come.length > 0 ? [{ what: 'waits for', to: `${name} on ${hostsText(come, 60)}` }] : []),
    ];
  });
}
