import { existsSync } from 'node:fs';
import { artifactCacheDir, deleteLab, forgetContext, kubexmError } from '../../index.ts';
import { askPerson } from '../ask.ts';
import type { Io } from '../io.ts';
import { withLab } from '../lab/with-lab.ts';
import { removeFromKubeconfig } from '../merge-kubeconfig.ts';
import { isThere } from './lab.ts';
import { findPlace, QUICKSTART, removePlace } from './place.ts';

/** Takes the machines and everything about the cluster away; what it was made from stays in the cache. */
export async function removeQuickstart(io: Io): Promise<void> {
  const place = findPlace(io);
  const hasLab = await isThere(io);
  if (!hasLab && !existsSync(place.dir)) {
    io.note(io.say('quickstart.nothing'));
    return;
  }
  const text = io.say('quickstart.confirm', { dir: place.dir });
  if ((await askPerson({ text, confirm: true }, io)) !== 'yes') throw kubexmError('KX1041', { question: text });
  // The machines first: without them only files are left, which the next attempt can remove.
  if (hasLab) await withLab(io, QUICKSTART, (options) => deleteLab(QUICKSTART, options));
  await removeFromKubeconfig({ cluster: QUICKSTART, baseDir: place.baseDir }, io);
  removePlace(place);
  forgetContext(io.env, QUICKSTART);
  io.note(io.say('quickstart.deleted', { cache: artifactCacheDir(io.env) }));
}
