// The tests have a home of their own: what they put there goes with it, and nothing of the user's is in their way. Caches stay shared.
import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

// Where a defect would leave something: other programs of the user write elsewhere in the meantime.
const WATCHED = ['.kubexm', '.kube', '.ssh', '.config/kubexm', '.local/state/kubexm', '.local/share/kubexm'];

/** A home in `dir`: the environment that leads there, the caches beside it, and the home of the user. */
export function ownHome(dir, env = process.env) {
  const user = env.HOME || homedir();
  const home = join(dir, 'home');
  const cache = env.XDG_CACHE_HOME || join(user, '.cache');
  const go = env.GOPATH || (existsSync(join(user, 'go')) ? join(user, 'go') : join(cache, 'kubexm', 'go'));
  const goSettings = env.GOENV || join(user, '.config', 'go', 'env');
  for (const path of [home, cache, go]) mkdirSync(path, { recursive: true });
  return {
    user,
    caches: [cache, ...go.split(':'), ...(env.GOMODCACHE ? [env.GOMODCACHE] : []), join(user, '.npm')],
    env: {
      HOME: home,
      XDG_CACHE_HOME: cache,
      GOPATH: go,
      GOENV: goSettings,
      // Each of them would lead back to the user's home.
      KUBEXM_HOME: undefined,
      XDG_STATE_HOME: undefined,
      XDG_CONFIG_HOME: undefined,
      XDG_DATA_HOME: undefined,
    },
  };
}

/** What kubexm and its neighbours have in a home, to be compared with later. */
export function pictureOfHome(user) {
  return new Map(WATCHED.flatMap((name) => below(join(user, name))));
}

/** What was changed, added or removed there since. */
export function changedInHome(user, before) {
  const now = pictureOfHome(user);
  const paths = new Set([...before.keys(), ...now.keys()]);
  return [...paths].filter((path) => before.get(path) !== now.get(path)).sort();
}

function below(path) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  const own = [path, `${found.mode} ${found.isDirectory() ? '' : `${found.size} ${found.mtimeMs}`}`];
  if (!found.isDirectory()) return [own];
  return [own, ...readdirSync(path).flatMap((name) => below(join(path, name)))];
}
