import type { Call, CommandSpec } from '../command-spec.ts';
import { forgetKubeconfig } from '../merge-kubeconfig.ts';
import { runFlags, wholeRunOptions } from '../run-options.ts';

/** `kubexm delete cluster` */
export const deleteClusterCommand: CommandSpec = {
  path: 'delete cluster',
  summary: 'cmd.delete-cluster',
  details: 'cmd.delete-cluster.details',
  examples: [
    { line: 'kubexm delete cluster -f config.yaml', text: 'ex.delete-cluster' },
    { line: 'kubexm delete cluster -f config.yaml --dry-run', text: 'ex.delete-cluster-dry' },
  ],
  options: wholeRunOptions,
  action: remove,
};

async function remove(call: Call) {
  const { io } = call;
  const { deleteCluster, openCluster } = await import('../../index.ts');
  const flags = { ...(await runFlags(call)), onFailure: 'keep' as const };
  const { cluster } = await openCluster(flags.configFile, flags.overrides);
  if (!flags.dryRun && flags.resume === false && !io.assumeYes) {
    const { confirmByName } = await import('../ask.ts');
    io.note(io.paintNote('yellow', io.say('delete.warning', { hosts: cluster.spec.hosts.length })));
    await confirmByName(cluster.metadata.name, io);
  }
  const { executePipeline } = await import('../pipeline-command.ts');
  const code = await executePipeline(deleteCluster, undefined, flags, io);
  if (code === 0 && !flags.dryRun)
    await forgetKubeconfig({ cluster: cluster.metadata.name, baseDir: flags.baseDir }, io);
  return code;
}
