import type { Call, CommandSpec } from '../command-spec.ts';
import { addRunOptions, runFlags } from '../run-options.ts';

/** `kubexm create cluster` */
export const createClusterCommand: CommandSpec = addRunOptions({
  path: 'create cluster',
  summary: 'cmd.create-cluster',
  details: 'cmd.create-cluster.details',
  examples: [
    { line: 'kubexm create cluster -f config.yaml', text: 'ex.create-cluster' },
    { line: 'kubexm create cluster -f config.yaml --dry-run', text: 'ex.create-cluster-dry' },
    { line: 'kubexm create cluster -f config.yaml --resume', text: 'ex.create-cluster-resume' },
  ],
  options: [{ flags: '--skip-preflight', text: 'opt.skip-preflight' }],
  action: create,
});

async function create(call: Call) {
  const { io, options } = call;
  const flags = await runFlags(call);
  const { createCluster } = await import('../../index.ts');
  const { executePipeline } = await import('../run-pipeline.ts');
  return executePipeline(createCluster, { skipPreflight: options.flag('skipPreflight') }, flags, io);
}
