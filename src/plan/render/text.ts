import { LOCAL } from '../../model/host.ts';
import { canonical } from '../../model/json.ts';
import { hostsText } from '../../model/text/hosts.ts';
import type { ExecutionGraph } from '../graph.ts';
import type { JoinNeeds } from '../node.ts';
import { criticalPath } from '../order.ts';
import type { NodeKey } from '../ref.ts';
import type { StepUse } from '../step.ts';
import { type Annotations, annotationLines } from './annotations.ts';
import { type Barrier, barriers, hiddenBarriers } from './barriers.ts';
import { describeUse, idsOf, type StepText, savedWant } from './describe.ts';
import { outlineOf, type StepGroup, type TaskGroup, taskName } from './outline.ts';
import { type Painter, painter, wrapped } from './paint.ts';
import { columns, duration, pad, plain, plural } from './words.ts';

/** How a plan is written as text. */
export interface TextOptions {
  /** Columns of the terminal. */
  readonly width: number;
  readonly color?: boolean;
  readonly annotations?: Annotations;
}

interface View {
  readonly graph: ExecutionGraph;
  readonly paint: Painter;
  readonly id: (key: NodeKey) => string;
  readonly joins: ReadonlyMap<string, Barrier>;
  readonly annotations: Annotations | undefined;
  /** Hosts for their column; most steps of a plan have the same ones. */
  readonly hosts: (names: readonly string[]) => string;
}

const NARROWEST = 40;
const NAME_COLUMNS = 28;
const HOST_COLUMNS = 32;
const VARIANTS = 3;
const FEW_JOINS = 4;

/** The plan for people: modules, tasks and steps as a tree, one line a step however many hosts it has. */
export function renderText(graph: ExecutionGraph, options: TextOptions): string {
  const view: View = {
    graph,
    paint: painter(Math.max(NARROWEST, options.width), options.color ?? false),
    id: idsOf(graph),
    joins: new Map(barriers(graph).map((barrier) => [barrier.id, barrier])),
    annotations: options.annotations,
    hosts: remembered((names) => plain(hostsText(names, HOST_COLUMNS))),
  };
  const lines = outlineOf(graph).flatMap((module) => {
    const head = module.name === undefined ? [] : [view.paint.line({ text: plain(module.name), look: 'bold' })];
    const indent = module.name === undefined ? '' : '  ';
    return [...head, ...module.tasks.flatMap((task) => taskLines(view, task, taskName(task, module), indent)), ''];
  });
  return [...lines, ...footer(view), ''].join('\n');
}

function taskLines(view: View, task: TaskGroup, name: string, indent: string): readonly string[] {
  const head: string[] = [];
  if (task.id !== undefined) {
    const tags = task.tags.length > 0 ? `  [${task.tags.join(', ')}]` : '';
    const whole = task.steps.some((step) => step.nodes.some((n) => view.graph.nodes[n]?.task?.compensate));
    const undo = whole ? '  undone as a whole' : '';
    head.push(
      view.paint.line(indent, { text: plain(name), look: 'accent' }, { text: plain(tags) + undo, look: 'dim' }),
    );
  }
  const inner = task.id === undefined ? indent : `${indent}  `;
  const widest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, columns(plain(text))), 0);
  const names = Math.min(NAME_COLUMNS, widest(task.steps.map((step) => step.name)));
  const hostColumns = widest(task.steps.map((step) => view.hosts(step.hosts)));
  return [
    ...head,
    ...runsOfJoins(view, task.steps).flatMap((run) => {
      const [step] = run;
      if (!step) return [];
      if (run.length > 1) return joinsLines(view, run, inner);
      const label = pad(plain(step.name), names);
      const barrier = view.joins.get(step.id);
      if (barrier) return joinLines(view, joinText(barrier), label, inner);
      return stepLines(view, step, label, pad(view.hosts(step.hosts), hostColumns), inner);
    }),
  ];
}

/** Steps one by one, but the many joins of a rolling change together. */
function runsOfJoins(view: View, steps: readonly StepGroup[]): readonly (readonly StepGroup[])[] {
  const runs: StepGroup[][] = [];
  const needs = (step: StepGroup | undefined) => step && view.joins.get(step.id)?.needs;
  for (const step of steps) {
    const run = runs.at(-1);
    if (run && needs(step) !== undefined && needs(step) === needs(run[0])) run.push(step);
    else runs.push([step]);
  }
  return runs.flatMap((run) => (run.length > FEW_JOINS ? [run] : run.map((step) => [step])));
}

function stepLines(view: View, group: StepGroup, label: string, hosts: string, indent: string): readonly string[] {
  const variants = variantsOf(view, group);
  const [first] = variants;
  const titles = new Map<string, string[]>();
  for (const { text, hosts: there } of variants) {
    const known = titles.get(text.title) ?? [];
    known.push(...there);
    titles.set(text.title, known);
  }
  const more = titles.size > 1 ? ` … and ${plural(titles.size - 1, 'other')}` : '';
  const title = plain(first?.text.title ?? '') + more;
  const deeper = `${indent}    `;
  const room = view.paint.width - deeper.length;
  const notes = [
    ...(titles.size > 1
      ? [...titles].slice(0, VARIANTS).map(([text, there]) => `${hostsText(there, 24)}: ${text}`)
      : []),
    ...marksOf(view, group, variants),
  ];
  const lines = [
    view.paint.line(`${indent}• ${label}  `, { text: hosts, look: 'dim' }, `  ${title}`),
    ...notes
      .flatMap((note) => wrapped(plain(note), room))
      .map((note) => view.paint.line(deeper, { text: note, look: 'dim' })),
  ];
  const irreversible = new Set(variants.flatMap(({ text }) => text.irreversible ?? []));
  for (const why of irreversible)
    for (const note of wrapped(`cannot be undone: ${plain(why)}`, room))
      lines.push(view.paint.line(deeper, { text: note, look: 'warn' }));
  if (!view.annotations) return lines;
  const known = annotationLines(view.graph, group, view.annotations, room);
  return [...lines, ...known.map((pieces) => view.paint.line(deeper, ...pieces))];
}

function joinLines(view: View, text: string, label: string, indent: string): readonly string[] {
  const deeper = `${indent}    `;
  const [first = '', ...rest] = wrapped(plain(text), view.paint.width - columns(`${deeper}${label}`));
  return [
    view.paint.line(`${indent}◇ ${label}  `, { text: first, look: 'accent' }),
    ...rest.map((line) => view.paint.line(deeper, { text: line, look: 'accent' })),
  ];
}

function joinsLines(view: View, run: readonly StepGroup[], indent: string): readonly string[] {
  const first = view.joins.get(run[0]?.id ?? '');
  const names = hostsText(
    run.map((step) => step.name),
    view.paint.width / 2,
  );
  const text = `${plural(run.length, 'barrier')}, each waits for ${NEEDS[first?.needs ?? 'all']} the hosts before it`;
  return joinLines(view, text, plain(names), indent);
}

const NEEDS: Readonly<Record<JoinNeeds, string>> = {
  all: 'all of',
  quorum: 'a majority of',
  present: 'those not lost of',
  settled: 'the end, good or bad, of',
};

/** What a join waits for, in words. */
function joinText(barrier: Barrier): string {
  const counted = barrier.voters ?? barrier.waitsFor;
  const hosts = hostsText(counted, HOST_COLUMNS);
  const voters = new Set(counted);
  const others = barrier.waitsFor.filter((host) => !voters.has(host));
  const also = others.length > 0 ? `, once ${hostsText(others, HOST_COLUMNS)} came too` : '';
  const local = barrier.localBefore.length > 0 ? barrier.localBefore.join(', ') : '';
  const values = barrier.valuesOf === undefined ? '' : `the values of ${barrier.valuesOf} from `;
  if (counted.length === 0) return local === '' ? 'waits for nothing' : `waits for ${local}`;
  return `waits for ${values}${NEEDS[barrier.needs]} ${hosts}${also}${local === '' ? '' : ` and for ${local}`}`;
}

interface Variant {
  readonly use: StepUse;
  readonly text: StepText;
  readonly hosts: readonly string[];
}

function variantsOf(view: View, group: StepGroup): readonly Variant[] {
  const uses = new Map<StepUse, string[]>();
  const add = (use: StepUse | undefined, hosts: readonly string[]) => {
    if (!use) return;
    const known = uses.get(use) ?? [];
    for (const host of hosts) known.push(host);
    uses.set(use, known);
  };
  for (const n of group.nodes) {
    const node = view.graph.nodes[n];
    if (node?.body.type === 'step') add(node.body.use, node.hosts.names);
    if (node?.body.type === 'steps')
      for (const [i, use] of node.body.uses.entries()) add(use, node.hosts.names.slice(i, i + 1));
  }
  return [...uses].map(([use, hosts]) => ({ use, text: describeUse(use, view.id), hosts }));
}

function marksOf(view: View, group: StepGroup, variants: readonly Variant[]): readonly string[] {
  const gates = new Set(group.nodes.flatMap((n) => view.graph.nodes[n]?.until ?? []));
  const marks = [
    ...(variants.some(({ text }) => text.once) ? ['once only'] : []),
    ...(variants.some(({ text }) => text.nature === 'mint') ? ['made when needed, never stored'] : []),
    ...(differs(view, variants) ? ['differs from host to host'] : []),
    ...[...gates].map((key) => `left alone when ${view.id(key)} holds`),
  ];
  return marks.length === 0 ? [] : [marks.join(' · ')];
}

function differs(view: View, variants: readonly Variant[]): boolean {
  const [first, ...rest] = variants;
  if (!first || rest.length === 0) return false;
  const text = ({ use }: Variant) => canonical([use.step.kind, savedWant(use, view.id)]);
  const expected = text(first);
  return rest.some((variant) => text(variant) !== expected);
}

function footer(view: View): readonly string[] {
  const { graph, paint } = view;
  const path = criticalPath(graph);
  const steps = new Set(graph.nodes.filter((node) => node.body.type !== 'join').map((node) => node.id)).size;
  const remote = graph.hosts.filter((host) => host !== LOCAL).length;
  const hidden = hiddenBarriers(graph);
  const count = [
    plural(steps, 'step'),
    plural(graph.size, 'node'),
    plural(remote, 'host') + (remote < graph.hosts.length ? ' and the local machine' : ''),
    plural(view.joins.size, 'barrier'),
  ].join(', ');
  const also = hidden.length === 0 ? '' : `; hosts also wait at ${hidden.join(', ')}`;
  const ids = path.nodes.map((i) => graph.id(i));
  const way = ids.length <= 2 ? ids.join(' → ') : `${ids[0]} → … → ${ids.at(-1)} (${ids.length} nodes)`;
  const longest = ids.length === 0 ? 'nothing to do' : `longest path about ${duration(path.seconds)}: ${way}`;
  return [...wrapped(plain(count + also), paint.width), ...wrapped(plain(longest), paint.width)].map((line) =>
    paint.line({ text: line, look: 'bold' }),
  );
}

function remembered<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}
