import type { Call, CommandSpec } from '../command-spec.ts';
import { forgetKubeconfig } from '../merge-kubeconfig.ts';
import { runFlags, sshOptions } from '../run-options.ts';
import { configOptions } from '../shared-options.ts';

/** `kubexm reset nodes` */
export const resetNodesCommand: CommandSpec = {
  path: 'reset nodes',
  summary: 'cmd.reset-nodes',
  details: 'cmd.reset-nodes.details',
  examples: [
    { line: 'kubexm reset nodes -f config.yaml', text: 'ex.reset-nodes' },
    { line: 'kubexm reset nodes -f config.yaml --nodes node3 --dry-run', text: 'ex.reset-nodes-dry' },
    { line: 'kubexm reset nodes -f config.yaml --yes', text: 'ex.reset-nodes-yes' },
    { line: 'kubexm reset nodes -f config.yaml --nodes node3 --leave', text: 'ex.reset-nodes-leave' },
  ],
  options: [
    ...configOptions,
    { flags: '--nodes <patterns>', text: 'opt.nodes', list: true, kind: 'node' },
    { flags: '--leave', text: 'opt.leave' },
    { flags: '--dry-run', text: 'opt.dry-run' },
    { flags: '--resume [run]', text: 'opt.resume', kind: 'run' },
    ...sshOptions,
    { flags: '--detailed-exitcode', text: 'opt.detailed-exitcode' },
    { flags: '-o, --output <view>', text: 'opt.view', choices: ['auto', 'live', 'plain', 'json'], default: 'auto' },
  ],
  action: reset,
};

async function reset(call: Call) {
  const { io, options } = call;
  const { KeyRing, openCluster, resetNodes, selectHosts } = await import('../../index.ts');
  // It connects to look, and again to work.
  const flags = { ...(await runFlags(call)), onFailure: 'keep' as const, keys: new KeyRing() };
  const { cluster } = await openCluster(flags.configFile, flags.overrides);
  const nodes = selectHosts(cluster, options.list('nodes'));
  if (!flags.dryRun && flags.resume === false && !io.assumeYes) {
    const { confirmReset } = await import('../confirm-reset.ts');
    const refused = await confirmReset(cluster.metadata.name, nodes, flags, io);
    if (refused !== undefined) return refused;
  }
  const { executePipeline } = await import('../pipeline-command.ts');
  const code = await executePipeline(
    resetNodes,
    { nodes, ...(options.flag('leave') ? { leave: true } : {}) },
    { ...flags, hosts: () => nodes },
    io,
  );
  // Who resets the last host has deleted the cluster.
  if ((code === 0 || code === 2) && !flags.dryRun)
    await forgetKubeconfig({ cluster: cluster.metadata.name, baseDir: flags.baseDir }, io);
  return code;
}
