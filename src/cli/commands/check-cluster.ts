import type { Call, CommandSpec } from '../command-spec.ts';
import { runFlags, wholeRunOptions } from '../run-options.ts';

/** `kubexm check cluster` */
export const checkClusterCommand: CommandSpec = {
  path: 'check cluster',
  summary: 'cmd.check-cluster',
  details: 'cmd.check-cluster.details',
  examples: [
    { line: 'kubexm check cluster -f config.yaml', text: 'ex.check-cluster' },
    { line: 'kubexm check cluster --lab t', text: 'ex.check-cluster-lab' },
  ],
  options: wholeRunOptions,
  action: check,
};

async function check(call: Call) {
  const flags = await runFlags(call);
  const { checkCluster } = await import('../../index.ts');
  const { executePipeline } = await import('../pipeline-command.ts');
  return executePipeline(checkCluster, undefined, flags, call.io);
}
