import { expect, test } from 'vitest';
import { host, kv } from '../../test/rig/engine.ts';
import { on, sequence } from '../plan/combinators.ts';
import { buildGraph } from '../plan/graph.ts';
import { onlyOn } from './only-on.ts';

const [a, b, c] = [host('a'), host('b'), host('c')];
const set = (key: string, value = '1') => kv({ key, value });

test('nodes, their wants and the links between them, of these hosts alone', () => {
  const whole = sequence(
    on([a, b, c], set('all'), { name: 'all' }),
    on([a, b, c], (one) => set('own', one.name), { name: 'own' }),
    on(a, set('elsewhere'), { name: 'elsewhere' }),
    on([b, c], set('some'), { name: 'some' }),
  );
  const part = onlyOn(whole, ['b', 'c']);
  expect([...part.nodes.values()].map(({ id }) => id)).toEqual(['all', 'own', 'some']);
  const graph = buildGraph(part);
  const wants = Array.from({ length: graph.size }, (_, i) => [graph.id(i), graph.use(i)?.want]);
  expect(wants).toEqual([
    ['all@b', { key: 'all', value: '1' }],
    ['all@c', { key: 'all', value: '1' }],
    ['own@b', { key: 'own', value: 'b' }],
    ['own@c', { key: 'own', value: 'c' }],
    ['some@b', { key: 'some', value: '1' }],
    ['some@c', { key: 'some', value: '1' }],
  ]);
  for (const link of part.links) expect(['a'].filter((name) => link.on.has(name))).toEqual([]);
});

test('what is left of a fragment elsewhere is nothing', () => {
  const part = onlyOn(sequence(on(a, set('x'), { name: 'x' }), on(a, set('y'), { name: 'y' })), ['b']);
  expect([part.nodes.size, part.links]).toEqual([0, []]);
});
