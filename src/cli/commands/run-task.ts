import type { Call, CommandSpec } from '../command-spec.ts';
import { runFlags, runOptions } from '../run-options.ts';

/** `kubexm run task TASK` */
export const runTaskCommand: CommandSpec = {
  path: 'run task',
  summary: 'cmd.run-task',
  details: 'cmd.run-task.details',
  examples: [
    { line: 'kubexm run task network/flannel -f config.yaml', text: 'ex.run-task' },
    { line: 'kubexm run task runtime/containerd --nodes node1,node2 --dry-run', text: 'ex.run-task-nodes' },
  ],
  arguments: [{ name: '<task>', text: 'arg.task', kind: 'task' }],
  options: [
    { flags: '--nodes <patterns>', text: 'opt.nodes', list: true, kind: 'node' },
    ...runOptions.filter(({ flags }) => !flags.includes('tags')),
  ],
  action: run,
};

async function run(call: Call) {
  const { io, options, args } = call;
  const { checkTaskName, openCluster, runTask, selectHosts } = await import('../../index.ts');
  const [task = ''] = args;
  checkTaskName(task);
  const flags = await runFlags(call);
  const patterns = options.list('nodes');
  const { cluster } = await openCluster(flags.configFile, flags.overrides);
  const nodes = patterns.length > 0 ? { nodes: selectHosts(cluster, patterns) } : {};
  const { executePipeline } = await import('../pipeline-command.ts');
  return executePipeline(runTask, { task, ...nodes }, flags, io);
}
