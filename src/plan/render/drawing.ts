import { LOCAL } from '../../model/host.ts';
import { hostsText } from '../../model/text/hosts.ts';
import type { ExecutionGraph } from '../graph.ts';
import type { Link } from '../node.ts';
import { describeUse, idsOf } from './describe.ts';
import { type ModuleGroup, outlineOf, type StepGroup, taskName } from './outline.ts';
import { plural } from './words.ts';

/** How a plan is drawn. */
export interface DrawOptions {
  /** A box for each host instead of one for all; ignored, with a remark, for graphs of more than 500 nodes. */
  readonly expand?: boolean;
}

/** A box of a drawing. */
export interface Box {
  /** Safe in any language: `n12`. */
  readonly name: string;
  readonly shape: 'box' | 'diamond';
  readonly lines: readonly string[];
}

/** A frame around boxes: a task or a module. */
export interface Frame {
  readonly label: string;
  readonly frames: readonly Frame[];
  readonly boxes: readonly Box[];
}

/** An arrow of a drawing. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly how: Link['how'];
}

/** A plan as boxes and arrows, for whichever language draws them. */
export interface Drawing {
  readonly frame: Frame;
  readonly arrows: readonly Arrow[];
  /** Said at the top. */
  readonly remark: string | undefined;
}

const MOST_EXPANDED = 500;
const LABEL_COLUMNS = 40;

/** Lays a plan out as frames, boxes and arrows. */
export function drawingOf(graph: ExecutionGraph, options: DrawOptions): Drawing {
  const tooMany = options.expand === true && graph.size > MOST_EXPANDED;
  const expand = options.expand === true && !tooMany;
  const modules = outlineOf(graph);
  const groups = modules.flatMap((module) => module.tasks.flatMap((task) => task.steps));
  const groupOf = new Map(groups.flatMap((group, g) => group.nodes.map((n) => [n, g] as const)));
  const boxes = (group: StepGroup): readonly Box[] =>
    expand ? hostBoxes(graph, group) : [stepBox(graph, group, `n${groupOf.get(group.nodes[0] ?? -1) ?? 0}`)];
  return {
    frame: { label: '', ...content(modules, boxes) },
    arrows: expand ? hostArrows(graph) : stepArrows(graph, groupOf),
    remark: tooMany ? `too many to draw host by host: ${plural(graph.size, 'node')}` : undefined,
  };
}

function content(
  modules: readonly ModuleGroup[],
  boxes: (group: StepGroup) => readonly Box[],
): Pick<Frame, 'frames' | 'boxes'> {
  const frames: Frame[] = [];
  const loose: Box[] = [];
  for (const module of modules) {
    const tasks = module.tasks.flatMap((task): readonly Frame[] =>
      task.id === undefined ? [] : [{ label: taskName(task, module), frames: [], boxes: task.steps.flatMap(boxes) }],
    );
    const beside = module.tasks.flatMap((task) => (task.id === undefined ? task.steps.flatMap(boxes) : []));
    if (module.name !== undefined) frames.push({ label: module.name, frames: tasks, boxes: beside });
    else {
      frames.push(...tasks);
      loose.push(...beside);
    }
  }
  return { frames, boxes: loose };
}

function stepBox(graph: ExecutionGraph, group: StepGroup, name: string): Box {
  const node = graph.nodes[group.nodes[0] ?? -1];
  if (node?.body.type === 'join') return { name, shape: 'diamond', lines: [group.name, node.body.needs] };
  const hosts = group.hosts.length === 1 && group.hosts[0] === LOCAL ? LOCAL : hostsText(group.hosts, LABEL_COLUMNS);
  return { name, shape: 'box', lines: [group.name, hosts] };
}

function hostBoxes(graph: ExecutionGraph, group: StepGroup): readonly Box[] {
  const id = idsOf(graph);
  return group.nodes.flatMap((n) => {
    const node = graph.nodes[n];
    return (node?.hosts.names ?? []).map((host, k): Box => {
      const i = (graph.first[n] ?? 0) + k;
      const use = graph.use(i);
      if (node?.body.type === 'join') return { name: `n${i}`, shape: 'diamond', lines: [group.name, node.body.needs] };
      return { name: `n${i}`, shape: 'box', lines: [`${group.name}@${host}`, use ? describeUse(use, id).title : ''] };
    });
  });
}

function stepArrows(graph: ExecutionGraph, groupOf: ReadonlyMap<number, number>): readonly Arrow[] {
  const arrows = new Map<string, Arrow>();
  for (const link of graph.links) {
    const from = `n${groupOf.get(graph.indexOf(link.from) ?? -1) ?? 0}`;
    const to = `n${groupOf.get(graph.indexOf(link.to) ?? -1) ?? 0}`;
    const known = arrows.get(`${from} ${to}`);
    if (from !== to && (!known || known.how === 'host')) arrows.set(`${from} ${to}`, { from, to, how: link.how });
  }
  return [...arrows.values()];
}

function hostArrows(graph: ExecutionGraph): readonly Arrow[] {
  const { nextStart, next } = graph.edges;
  const arrows: Arrow[] = [];
  for (let i = 0; i < graph.size; i++) {
    for (const k of next.subarray(nextStart[i], nextStart[i + 1])) {
      const how = graph.host(i) === graph.host(k) ? 'host' : graph.host(k) === LOCAL ? 'gather' : 'spread';
      arrows.push({ from: `n${i}`, to: `n${k}`, how });
    }
  }
  return arrows;
}
