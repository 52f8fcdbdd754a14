import type { ExitCode, KubeconfigPlace, Unmerged } from '../index.ts';
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

/** Removes what leads to a cluster once none of its hosts is changed any more, and says what came of it. */
export async function forgetKubeconfig(place: KubeconfigPlace, io: Io): Promise<void> {
  const library = await import('../index.ts');
  await sayRemoved(place, () => library.forgetKubeconfig(place), io);
}

/** Removes a deleted cluster from the user's kubeconfigs, and says what came of it. */
export async function removeFromKubeconfig(place: KubeconfigPlace, io: Io): Promise<void> {
  const { unmergeKubeconfig } = await import('../index.ts');
  await sayRemoved(place, () => unmergeKubeconfig(place), io);
}

/** A failure is reported, but does not fail the command. */
async function sayRemoved(
  { cluster: name }: KubeconfigPlace,
  remove: () => Promise<readonly Unmerged[]>,
  io: Io,
): Promise<void> {
  const { reportError } = await import('./report-error.ts');
  try {
    for (const { file, removed, left, error } of await remove()) {
      if (error !== undefined) await reportError(error, io);
      else if (left.length > 0)
        io.note(io.paintNote('yellow', io.say('kubeconfig.left', { file, name, what: left.join(', ') })));
      else if (removed) io.note(io.say('kubeconfig.removed', { file, name }));
    }
  } catch (error) {
    await reportError(error, io);
  }
}
