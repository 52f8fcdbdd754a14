import { expect, test } from 'vitest';
import { on } from '../plan/combinators.ts';
import { buildGraph } from '../plan/graph.ts';
import { directory } from '../step/generic/index.ts';
import { checkTags } from './selection.ts';

const graph = buildGraph(on({ name: 'a' }, directory({ path: '/srv/x' }), { tags: ['install', 'etcd'] }));

test('tags that a step has are taken', () => {
  expect(() => checkTags(graph, { tags: ['install'], skipTags: ['etcd'] })).not.toThrow();
  expect(() => checkTags(graph, {})).not.toThrow();
});

test.each([{ tags: ['instal'] }, { skipTags: ['instal'] }, { tags: ['etcd', 'instal'] }])(
  '%j is refused',
  (options) => {
    expect(() => checkTags(graph, options)).toThrow(
      expect.objectContaining({ code: 'KX4028', params: { tag: 'instal', tags: 'install, etcd' } }),
    );
  },
);
