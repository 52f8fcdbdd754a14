import type { Call, CommandSpec } from '../command-spec.ts';
import { runFlags, sshOptions } from '../run-options.ts';
import { clusterOptions } from '../shared-options.ts';

/** `kubexm check cluster` */
export const checkClusterCommand: CommandSpec = {
  path: 'check cluster',
  summary: 'cmd.check-cluster',
  details: 'cmd.check-cluster.details',
  examples: [
    { line: 'kubexm check cluster -f config.yaml', text: 'ex.check-cluster' },
    { line: 'kubexm check cluster --lab t', text: 'ex.check-cluster-lab' },
  ],
  options: [
    ...clusterOptions,
    { flags: '--dry-run', text: 'opt.dry-run' },
    { flags: '--resume [run]', text: 'opt.resume', kind: 'run' },
    ...sshOptions,
    { flags: '-o, --output <view>', text: 'opt.view', choices: ['auto', 'live', 'plain', 'json'], default: 'auto' },
  ],
  action: check,
};

async function check(call: Call) {
  const flags = await runFlags(call);
  const { checkCluster } = await import('../../index.ts');
  const { executePipeline } = await import('../run-pipeline.ts');
  return executePipeline(checkCluster, undefined, flags, call.io);
}
