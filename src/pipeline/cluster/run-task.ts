import { nearest } from '../../model/cluster/nearest.ts';
import { kubexmError, type Text } from '../../model/errors/index.ts';
import { LOCAL } from '../../model/host.ts';
import { preflight } from '../../module/preflight.ts';
import { aboutAll, definePipeline, type PlanContext } from '../../plan/layers.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import { createCluster } from './create.ts';

/** The parameters of `kubexm run task`. */
export interface RunTaskParams {
  /** `runtime/containerd` */
  readonly task: string;
  /** Only on these hosts. Default: all of the task's. */
  readonly nodes?: readonly string[];
}

/** The names of all tasks that can run alone: those of `create cluster`. */
export const taskNames: readonly string[] = [
  ...new Set(createCluster.modules.flatMap(({ tasks }) => tasks.map(({ name }) => name))),
];

/** Throws KX4030, with what was perhaps meant, unless there is such a task. */
export function checkTaskName(task: string): void {
  if (taskNames.includes(task)) return;
  const near = nearestTask(task);
  const others = taskNames.filter((name) => name !== near);
  throw kubexmError('KX4030', { task, tasks: [...(near === undefined ? [] : [near]), ...others].join(', ') });
}

/** By its whole name, else by the part behind the slash: `containerd`. */
function nearestTask(task: string): string | undefined {
  const goal = (name: string) => name.slice(name.indexOf('/') + 1);
  const meant = nearest(goal(task), taskNames.map(goal));
  return nearest(task, taskNames) ?? taskNames.find((name) => goal(name) === meant);
}

const { plan: _plan, finalizers: _finalizers, ...whole } = createCluster;

/** One task of `create cluster` alone. What it builds upon is checked, not changed. */
export const runTask = definePipeline<RunTaskParams>({
  ...whole,
  name: 'run task',
  description: 'Run one task of create cluster.',
  checks: ({ task }) => (task === 'preflight/check' ? [preflight] : []),
  scope: ({ task, nodes }) => ({ tasks: [task], ...(nodes ? { targets: nodes } : {}) }),
  plan: (context, { task, nodes }) => {
    checkTaskName(task);
    const hosts = nodes ?? context.hosts.map((host) => host.name);
    const question = questionOf(task, context.cluster.metadata.name, hosts.length);
    const planned = (some: PlanContext) =>
      createCluster.plan(some, { skipPreflight: !task.startsWith('preflight/'), question });
    const where = hostsOf(planned(aboutAll(context)), task);
    if (![...where].some((host) => host === LOCAL || hosts.includes(host)))
      throw kubexmError('KX4031', { task, hosts: hosts.join(', '), where: [...where].join(', ') || '–' });
    return planned(context);
  },
});

function questionOf(task: string, cluster: string, hosts: number): Text {
  return {
    en: `Run the task ${task} of the cluster ${cluster}? Hosts: ${hosts}`,
    zh: `是否运行集群 ${cluster} 的任务 ${task}？主机数：${hosts}`,
  };
}

function hostsOf({ nodes }: ExecutionFragment, task: string): ReadonlySet<string> {
  return new Set([...nodes.values()].flatMap((node) => (node.task?.id === task ? node.hosts.names : [])));
}
