import { expect, test } from 'vitest';
import { labPlaces } from './places.ts';

test.each([
  [{ HOME: '/h' }, '/h/.local/state/kubexm/labs', '/h/.cache/kubexm/lab'],
  [{ HOME: '/h', XDG_STATE_HOME: '/s', XDG_CACHE_HOME: '/c' }, '/s/kubexm/labs', '/c/kubexm/lab'],
  [{ HOME: '/h', XDG_STATE_HOME: '', XDG_CACHE_HOME: '' }, '/h/.local/state/kubexm/labs', '/h/.cache/kubexm/lab'],
  [{ HOME: '/h', XDG_STATE_HOME: '/s', KUBEXM_HOME: '/k' }, '/k/labs', '/k/cache/lab'],
])('%o', (env, labs, cache) => {
  expect(labPlaces(env)).toEqual({ labs, cache });
});
