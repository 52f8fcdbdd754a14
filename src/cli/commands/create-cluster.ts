import type { Call, CommandSpec } from '../command-spec.ts';
import { createByFlags } from '../creation.ts';
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
    { line: 'kubexm create cluster -f config.yaml --merge-kubeconfig', text: 'ex.create-cluster-merge' },
  ],
  options: [
    { flags: '--skip-preflight', text: 'opt.skip-preflight' },
    { flags: '--merge-kubeconfig', text: 'opt.merge-kubeconfig' },
  ],
  action: create,
});

async function create(call: Call) {
  const { io, options } = call;
  const params = { skipPreflight: options.flag('skipPreflight'), merges: options.flag('mergeKubeconfig') };
  return createByFlags(io, await runFlags(call), params);
}
