import { existsSync } from 'node:fs';
import type { CreateClusterParams, ExitCode } from '../index.ts';
import type { Io } from './io.ts';
import { tryMerge } from './merge-kubeconfig.ts';
import { clusterWords, shellWord } from './resume-command.ts';
import type { RunFlags } from './run-options.ts';

/** Creates a cluster and says what to type next. `merges`: it comes into the user's own kubeconfig. */
export async function createByFlags(
  io: Io,
  flags: RunFlags,
  { merges = false, ...params }: CreateClusterParams & { readonly merges?: boolean },
): Promise<ExitCode> {
  const { checkMerge, createCluster, hearFetched, openCluster, workDirOf } = await import('../index.ts');
  const { executePipeline } = await import('./pipeline-command.ts');
  const { name } = (await openCluster(flags.configFile, flags.overrides)).cluster.metadata;
  const place = { cluster: name, baseDir: flags.baseDir };
  // Report known problems now, not after half an hour.
  if (merges) checkMerge(place, io);
  const fetched = hearFetched();
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
