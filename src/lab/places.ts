import { homedir } from 'node:os';
import { join } from 'node:path';
import type { LabPlaces } from './types.ts';

/** Where labs are: `$KUBEXM_HOME`, else the XDG directories for state and cache. Nothing is made. */
export function labPlaces(env: NodeJS.ProcessEnv): LabPlaces {
  const home = env['HOME'] ?? homedir();
  const own = env['KUBEXM_HOME'];
  if (own) return { labs: join(own, 'labs'), cache: join(own, 'cache', 'lab') };
  const state = env['XDG_STATE_HOME'] || join(home, '.local', 'state');
  const cache = env['XDG_CACHE_HOME'] || join(home, '.cache');
  return { labs: join(state, 'kubexm', 'labs'), cache: join(cache, 'kubexm', 'lab') };
}
