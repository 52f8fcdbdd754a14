import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Call, CommandSpec } from '../command-spec.ts';
import type { Io } from '../io.ts';
import { mergeIntoKubeconfig } from '../merge-kubeconfig.ts';
import { shellWord } from '../resume-command.ts';
import { addRunOptions, type RunFlags, runFlags } from '../run-options.ts';

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
  options: [
    { flags: '--skip-preflight', text: 'opt.skip-preflight' },
    { flags: '--merge-kubeconfig', text: 'opt.merge-kubeconfig' },
  ],
  action: create,
});

async function create(call: Call) {
  const { io, options } = call;
  const flags = await runFlags(call);
  const { createCluster, openCluster, workDirOf } = await import('../../index.ts');
  const { executePipeline } = await import('../run-pipeline.ts');
  const code = await executePipeline(createCluster, { skipPreflight: options.flag('skipPreflight') }, flags, io);
  if (flags.dryRun || (code !== 0 && code !== 2)) return code;
  const { name } = (await openCluster(flags.configFile)).cluster.metadata;
  const kubeconfig = join(workDirOf(flags.baseDir, name).cluster, 'kubeconfig');
  // Of a cluster that was made in part there is none yet.
  if (!existsSync(kubeconfig)) return code;
  const merges = options.flag('mergeKubeconfig');
  if (merges) await mergeIntoKubeconfig({ cluster: name, baseDir: flags.baseDir }, io);
  if (flags.view !== 'json') io.note('', nextLines(io, flags, merges ? undefined : kubeconfig));
  return code;
}

/** What to type next. `kubeconfig`: where it is, unless kubectl finds it by itself. */
function nextLines(io: Io, flags: RunFlags, kubeconfig: string | undefined): readonly string[] {
  const which = flags.lab === undefined ? `-f ${shellWord(flags.configFile)}` : `--lab ${shellWord(flags.lab)}`;
  return [
    io.say('quickstart.next'),
    ...(kubeconfig === undefined ? [] : [`  export KUBECONFIG=${shellWord(kubeconfig)}`]),
    '  kubectl get pods -A',
    `  kubexm check cluster ${which}`,
    `  kubexm describe cluster ${which}`,
  ];
}
