import type { NodeRef } from '../model/event.ts';
import type { ExecutionGraph } from '../plan/graph.ts';
import type { Values } from './values.ts';

/** Where a node is in the four layers. */
export function refOf(graph: ExecutionGraph, values: Values, i: number): NodeRef {
  const node = graph.node(i);
  return {
    node: graph.id(i),
    host: graph.host(i),
    module: node.task?.module ?? node.module ?? '',
    task: node.task?.id ?? '',
    step: node.task ? node.id.slice(node.task.id.length + 1) : node.id,
    kind: graph.use(i)?.step.kind ?? 'join',
    title: titleOf(graph, values, i),
    ...(node.mark === undefined ? {} : { mark: node.mark }),
  };
}

/** A node's title. One that cannot be made of masked values is no reason to fail. */
export function titleOf(graph: ExecutionGraph, values: Values, i: number): string {
  const node = graph.node(i);
  try {
    return graph.use(i)?.step.title(values.forShow(i)) ?? node.id;
  } catch {
    return node.id;
  }
}
