import { rmSync } from 'node:fs';
import type { EventSink, ExitCode, KubeconfigPlace } from '../index.ts';
import type { Io } from './io.ts';

/** Puts a cluster into the person's kubeconfig, and says so. */
export async function mergeIntoKubeconfig(place: KubeconfigPlace, io: Io): Promise<void> {
  const { mergeKubeconfig } = await import('../index.ts');
  io.note(io.say('kubeconfig.merged', { file: await mergeKubeconfig(place, io), name: place.cluster }));
}

/** Merges at the end of a run and returns its exit code: the cluster exists, so a failure is only reported. */
export async function tryMerge(place: KubeconfigPlace, fetched: boolean, io: Io): Promise<ExitCode> {
  const { reportError } = await import('./report-error.ts');
  try {
    if (fetched) await mergeIntoKubeconfig(place, io);
    else io.note(io.paintNote('yellow', io.say('kubeconfig.unfetched')));
    return fetched ? 0 : 1;
  } catch (error) {
    return await reportError(error, io);
  }
}

/** Hears whether the run has fetched the kubeconfig, or found it to be right: one of an earlier cluster is not to be merged. */
export function hearFetched(): { readonly sink: EventSink; readonly done: () => boolean } {
  let done = false;
  const sink: EventSink = (event) => {
    if (event.type !== 'node-finished' || event.mark !== 'kubeconfig-fetched') return;
    done = ['ran', 'changed', 'satisfied'].includes(event.outcome);
  };
  return { sink, done: () => done };
}

/** Takes what led to a cluster away once no host is changed any more: of the next cluster of that name it would be wrong. */
export async function forgetKubeconfig(place: KubeconfigPlace, io: Io): Promise<void> {
  const { changedHosts, workDirOf } = await import('../index.ts');
  const workDir = workDirOf(place.baseDir, place.cluster);
  if (changedHosts(workDir).size > 0) return;
  await removeFromKubeconfig(place, io);
  rmSync(workDir.kubeconfig, { force: true });
}

/** Removes a deleted cluster from the user's kubeconfigs. A failure is reported, but does not fail the command. */
export async function removeFromKubeconfig(place: KubeconfigPlace, io: Io): Promise<void> {
  const { unmergeKubeconfig } = await import('../index.ts');
  const { reportError } = await import('./report-error.ts');
  const name = place.cluster;
  try {
    for (const { file, removed, left, error } of await unmergeKubeconfig(place)) {
      if (error !== undefined) await reportError(error, io);
      else if (left.length > 0)
        io.note(io.paintNote('yellow', io.say('kubeconfig.left', { file, name, what: left.join(', ') })));
      else if (removed) io.note(io.say('kubeconfig.removed', { file, name }));
    }
  } catch (error) {
    await reportError(error, io);
  }
}
