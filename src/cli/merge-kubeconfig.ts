import type { KubeconfigPlace } from '../index.ts';
import type { Io } from './io.ts';

/** Puts a cluster into the person's kubeconfig, and says so. */
export async function mergeIntoKubeconfig(place: KubeconfigPlace, io: Io): Promise<void> {
  const { mergeKubeconfig } = await import('../index.ts');
  io.note(io.say('kubeconfig.merged', { file: mergeKubeconfig(place, io.env), name: place.cluster }));
}

/** Takes a cluster that is gone out of the person's kubeconfig. That it cannot be done is told, and no reason to fail. */
export async function removeFromKubeconfig(place: KubeconfigPlace, io: Io): Promise<void> {
  const { unmergeKubeconfig } = await import('../index.ts');
  const { reportError } = await import('./report-error.ts');
  try {
    const removed = unmergeKubeconfig(place);
    if (removed === undefined) return;
    const { file, left } = removed;
    if (left.length === 0) io.note(io.say('kubeconfig.removed', { file, name: place.cluster }));
    else
      io.note(io.paintNote('yellow', io.say('kubeconfig.left', { file, name: place.cluster, what: left.join(', ') })));
  } catch (error) {
    await reportError(error, io);
  }
}
