import type { ExecutionGraph } from '../plan/graph.ts';
import type { Settled } from './ledger.ts';
import type { NewEvent } from './options.ts';

interface Times {
  readonly task: string;
  readonly module: string;
  open: number;
  started: number | undefined;
  failed: boolean;
}

/** Says when all of a task's nodes are settled, on all of its hosts. A task of which nothing took part is not mentioned. */
export class TaskTimes {
  private readonly emit: (event: NewEvent) => void;
  private readonly times: readonly (Times | undefined)[];

  constructor(graph: ExecutionGraph, emit: (event: NewEvent) => void) {
    this.emit = emit;
    const tasks = new Map<string, Times>();
    this.times = graph.nodes.map(({ task, hosts }) => {
      if (!task) return undefined;
      const times = tasks.get(task.id) ?? {
        task: task.id,
        module: task.module,
        open: 0,
        started: undefined,
        failed: false,
      };
      tasks.set(task.id, times);
      times.open += hosts.size;
      return times;
    });
  }

  /** A node of the plan was settled on one of its hosts. */
  settled(node: number, outcome: Settled, good: boolean, durationMs: number): void {
    const times = this.times[node];
    if (!times) return;
    times.open--;
    if (!good) times.failed = true;
    if (outcome !== 'passed' && outcome !== 'cut') times.started ??= performance.now() - durationMs;
    if (times.open > 0 || times.started === undefined) return;
    const { task, module, started, failed } = times;
    const durationSoFar = performance.now() - started;
    this.emit({ type: 'task-finished', task, module, outcome: failed ? 'failed' : 'ok', durationMs: durationSoFar });
  }
}
