import { existsSync } from 'node:fs';
import type { Call, CommandSpec } from '../command-spec.ts';
import type { Io } from '../io.ts';
import { hearFetched, tryMerge } from '../merge-kubeconfig.ts';
import { clusterWords, shellWord } from '../resume-command.ts';
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
  const flags = await runFlags(call);
  const { checkMerge, createCluster, openCluster, workDirOf } = await import('../../index.ts');
  const { executePipeline } = await import('../run-pipeline.ts');
  const merges = options.flag('mergeKubeconfig');
  const { name } = (await openCluster(flags.configFile, flags.overrides)).cluster.metadata;
  const place = { cluster: name, baseDir: flags.baseDir };
  // What can be known now is not to be told after half an hour.
  if (merges) checkMerge(place, io);
  const fetched = hearFetched();
  const params = { skipPreflight: options.flag('skipPreflight') };
  const code = await executePipeline(createCluster, params, flags, io, [fetched.sink]);
  if (flags.dryRun || (code !== 0 && code !== 2)) return code;
  const { kubeconfig } = workDirOf(flags.baseDir, name);
  // Of a cluster that was made in part there is none yet.
  if (!existsSync(kubeconfig)) return code;
  const merged = merges ? await tryMerge(place, fetched.done(), io) : undefined;
  if (flags.view !== 'json') io.note('', nextLines(io, flags, merged === 0 ? undefined : kubeconfig));
  return merged || code;
}

/** What to type next. `kubeconfig`: where it is, unless kubectl finds it by itself. */
function nextLines(io: Io, flags: RunFlags, kubeconfig: string | undefined): readonly string[] {
  const which = clusterWords(flags);
  return [
    io.say('quickstart.next'),
    ...(kubeconfig === undefined ? [] : [`  export KUBECONFIG=${shellWord(kubeconfig)}`]),
    '  kubectl get pods -A',
    `  kubexm check cluster ${which}`,
    `  kubexm describe cluster ${which}`,
  ];
}
