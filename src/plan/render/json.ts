import { canonical } from '../../model/json.ts';
import type { ExecutionGraph } from '../graph.ts';
import type { HostSet } from '../host-set.ts';
import { type ExecutionNode, type Link, oneHost } from '../node.ts';
import { criticalPath } from '../order.ts';
import type { NodeKey } from '../ref.ts';
import type { StepUse } from '../step.ts';
import { describeUse, idsOf, savedWant } from './describe.ts';
import {
  type HostSetNumber,
  PLAN_VERSION,
  type PlanDocument,
  type PlanLink,
  type PlanNode,
  type PlanStep,
} from './document.ts';
import { moduleOf } from './outline.ts';

/** The plan as a document to save, to show and to compare. Equal plans give equal documents. */
export function renderJson(graph: ExecutionGraph): PlanDocument {
  const id = idsOf(graph);
  const sets = new HostSets();
  const path = criticalPath(graph);
  return {
    apiVersion: PLAN_VERSION,
    hash: graph.hash,
    nodes: graph.nodes.map((node) => nodeDocument(node, id, sets)),
    links: graph.links.map((link) => linkDocument(link, graph, id, sets)),
    criticalPath: { seconds: path.seconds, nodes: path.nodes.map((i) => graph.id(i)) },
    hostSets: sets.list,
  };
}

/** Host sets by number: a plan has few, though its nodes have many hosts. */
class HostSets {
  readonly list: (readonly string[])[] = [];
  private readonly bySet = new Map<HostSet, HostSetNumber>();
  private readonly byNames = new Map<string, HostSetNumber>();

  of(set: HostSet): HostSetNumber {
    const number = this.bySet.get(set) ?? this.ofNames(set.names);
    this.bySet.set(set, number);
    return number;
  }

  ofNames(names: readonly string[]): HostSetNumber {
    const text = names.join('\n');
    const known = this.byNames.get(text);
    if (known !== undefined) return known;
    this.byNames.set(text, this.list.length);
    return this.list.push(names) - 1;
  }
}

function nodeDocument(node: ExecutionNode, id: (key: NodeKey) => string, sets: HostSets): PlanNode {
  const module = moduleOf(node);
  const common = {
    id: node.id,
    hosts: sets.of(node.hosts),
    ...(module === undefined ? {} : { module }),
    ...(node.task ? { task: node.task.id } : {}),
    tags: node.tags,
    ...(node.mark === undefined ? {} : { mark: node.mark }),
    ...(node.until ? { until: id(node.until) } : {}),
  };
  if (node.body.type !== 'join') return { ...common, steps: stepDocuments(node, node.body, id, sets) };
  const { needs, voters, of } = node.body;
  return {
    ...common,
    needs,
    ...(voters ? { voters: sets.of(voters) } : {}),
    ...(of ? { valuesOf: id(of) } : {}),
  };
}

function stepDocuments(
  node: ExecutionNode,
  body: Exclude<ExecutionNode['body'], { readonly type: 'join' }>,
  id: (key: NodeKey) => string,
  sets: HostSets,
): readonly PlanStep[] {
  if (body.type === 'step') return [{ hosts: sets.of(node.hosts), ...stepDocument(body.use, id) }];
  const groups = new Map<string, { readonly step: Omit<PlanStep, 'hosts'>; readonly hosts: string[] }>();
  body.uses.forEach((use, i) => {
    const step = stepDocument(use, id);
    const text = canonical([step.kind, step.title, step.irreversible ?? null, step.want]);
    const known = groups.get(text) ?? { step, hosts: [] };
    groups.set(text, known);
    known.hosts.push(...node.hosts.names.slice(i, i + 1));
  });
  return [...groups.values()].map(({ step, hosts }) => ({ hosts: sets.ofNames(hosts), ...step }));
}

function stepDocument(use: StepUse, id: (key: NodeKey) => string): Omit<PlanStep, 'hosts'> {
  const { kind, title, nature, once, irreversible } = describeUse(use, id);
  const want = savedWant(use, id);
  return { kind, title, nature, once, ...(irreversible === undefined ? {} : { irreversible }), want };
}

function linkDocument(link: Link, graph: ExecutionGraph, id: (key: NodeKey) => string, sets: HostSets): PlanLink {
  const from = graph.nodes[graph.indexOf(link.from) ?? -1];
  const to = graph.nodes[graph.indexOf(link.to) ?? -1];
  return {
    from: id(link.from),
    to: id(link.to),
    how: link.how,
    on: sets.of(link.on),
    ...(link.how === 'spread' && from ? { fromHost: oneHost(from, link.fromHost) } : {}),
    ...(link.how === 'gather' && to ? { toHost: oneHost(to, link.toHost) } : {}),
  };
}
