import type { ExecutionGraph } from '../graph.ts';
import type { ExecutionNode } from '../node.ts';

/** All nodes of the plan with one id: one step, whatever hosts it was planned for and in however many pieces. */
export interface StepGroup {
  readonly id: string;
  /** Without its task or module. */
  readonly name: string;
  /** Indexes into `graph.nodes`. */
  readonly nodes: readonly number[];
  readonly hosts: readonly string[];
}

/** The steps of a task, or those that stand beside the tasks of a module. */
export interface TaskGroup {
  /** `undefined` for what belongs to no task. */
  readonly id: string | undefined;
  readonly tags: readonly string[];
  readonly steps: readonly StepGroup[];
}

/** The tasks of a module, or those that stand beside the modules of a pipeline. */
export interface ModuleGroup {
  readonly name: string | undefined;
  readonly tasks: readonly TaskGroup[];
}

/** The plan as a tree of modules, tasks and steps, each in the order in which it first appears. */
export function outlineOf(graph: ExecutionGraph): readonly ModuleGroup[] {
  const modules = new Map<string | undefined, Map<string | undefined, Map<string, number[]>>>();
  for (const i of readingOrder(graph)) {
    const node = graph.nodes[i];
    if (!node) continue;
    const tasks = within(modules, moduleOf(node), () => new Map<string | undefined, Map<string, number[]>>());
    const steps = within(tasks, node.task?.id, () => new Map<string, number[]>());
    within(steps, node.id, () => []).push(i);
  }
  return [...modules].map(([name, tasks]) => ({
    name,
    tasks: [...tasks].map(([id, steps]) => taskGroup(graph, name, id, steps)),
  }));
}

/** The nodes of the plan as written; joins that Refs drew stand behind the producer of the values. */
function readingOrder(graph: ExecutionGraph): readonly number[] {
  const drawn = new Map<number | undefined, number>();
  const written: number[] = [];
  graph.nodes.forEach(({ body }, i) => {
    if (body.type === 'join' && body.of) drawn.set(graph.indexOf(body.of), i);
    else written.push(i);
  });
  return written.flatMap((i) => [i, ...[drawn.get(i)].filter((join) => join !== undefined)]);
}

/** The module a node belongs to, if any. */
export function moduleOf(node: ExecutionNode): string | undefined {
  return node.task?.module || node.module || undefined;
}

/** The task's name without its module's: `etcd/install` in `etcd` is `install`. */
export function taskName(task: TaskGroup, module: ModuleGroup): string {
  return task.id === undefined ? '' : without(task.id, module.name);
}

function taskGroup(
  graph: ExecutionGraph,
  module: string | undefined,
  id: string | undefined,
  steps: ReadonlyMap<string, readonly number[]>,
): TaskGroup {
  const groups = [...steps].map(([step, nodes]): StepGroup => {
    const [only] = nodes;
    const hosts =
      nodes.length === 1 && only !== undefined
        ? (graph.nodes[only]?.hosts.names ?? [])
        : [...new Set(nodes.flatMap((i) => graph.nodes[i]?.hosts.names ?? []))];
    return { id: step, name: without(step, id ?? module), nodes, hosts };
  });
  const all = groups.flatMap((group) => group.nodes.map((i) => graph.nodes[i]?.tags ?? []));
  const tags = (all[0] ?? []).filter((tag) => all.every((list) => list.includes(tag)));
  return { id, tags: id === undefined ? [] : tags, steps: groups };
}

function without(id: string, prefix: string | undefined): string {
  return prefix !== undefined && id.startsWith(`${prefix}/`) ? id.slice(prefix.length + 1) : id;
}

function within<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
