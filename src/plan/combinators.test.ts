import { describe, expect, it } from 'vitest';
import { edgesOf, hosts, join as joinStep, local, many, step, token, touch } from '../../test/plans/fixtures.ts';
import { barrier, join, nothing, on, parallel, perHost, rolling, sequence, until } from './combinators.ts';
import { buildGraph } from './graph.ts';
import type { ExecutionFragment } from './node.ts';

const edges = (fragment: ExecutionFragment) => [...edgesOf(buildGraph(fragment))].sort();
const ab = hosts('a', 'b');
const abc = hosts('a', 'b', 'c');

describe('on', () => {
  it('is nothing on no host', () => {
    const none = on([], step('x'));
    expect(none.nodes.size).toBe(0);
    expect(buildGraph(sequence(none, on(ab, step('y')))).size).toBe(2);
  });

  it('gives each host its own want, even when a host is named twice', () => {
    const graph = buildGraph(on(hosts('a', 'a', 'b'), (host) => step('x', `/${host.name}`)));
    expect(graph.size).toBe(2);
    const wants = Array.from({ length: graph.size }, (_, i) => [graph.id(i), graph.use(i)?.want]);
    expect(wants).toEqual([
      ['x@a', { path: '/a' }],
      ['x@b', { path: '/b' }],
    ]);
  });

  it('does not forget a host that was added to the list since', () => {
    const list = hosts('a');
    on(list, step('x'));
    list.push({ name: 'b' });
    expect(buildGraph(on(list, step('y'))).size).toBe(2);
  });

  it('makes secret Refs of minted values', () => {
    expect(on(local, token({ hours: 1 })).ref().secret).toBe(true);
    expect(on(ab, (host) => (host.name === 'b' ? token({ hours: 1 }) : { ...step('x') })).refs().secret).toBe(true);
    expect(on(local, step('x')).ref().secret).toBe(false);
  });

  it('refers to the only host by name, to many by the consumer', () => {
    expect(on(hosts('a'), step('x')).ref().source).toEqual({ from: 'host', host: 'a' });
    expect(on(ab, step('x')).ref().source).toEqual({ from: 'same' });
    expect(on(ab, step('x')).refFrom({ name: 'b' }).source).toEqual({ from: 'host', host: 'b' });
    expect(on(ab, step('x')).refs().source).toEqual({ from: 'all' });
  });
});

describe('sequence', () => {
  it('goes host by host', () => {
    expect(edges(sequence(on(ab, step('x')), on(abc, step('y'))))).toEqual(['x@a → y@a', 'x@b → y@b']);
  });

  it('remembers a host that the parts between leave out', () => {
    const plan = sequence(on(ab, step('x')), on(hosts('b'), step('y')), on(ab, step('z')));
    expect(edges(plan)).toEqual(['x@a → z@a', 'x@b → y@b', 'y@b → z@b']);
  });

  it('makes the local machine meet all', () => {
    const plan = sequence(on(ab, step('x')), on(local, step('l')), on(ab, step('y')));
    expect(edges(plan)).toEqual([
      'l@local → y@a',
      'l@local → y@b',
      'x@a → l@local',
      'x@a → y@a',
      'x@b → l@local',
      'x@b → y@b',
    ]);
  });

  it('does so for a step that runs on hosts and on the local machine', () => {
    const plan = sequence(
      on([local, ...hosts('a')], step('x')),
      on(hosts('b'), step('y')),
      on([local, ...ab], step('z')),
    );
    expect(edges(plan)).toEqual([
      'x@a → z@a',
      'x@a → z@local',
      'x@local → y@b',
      'x@local → z@a',
      'x@local → z@local',
      'y@b → z@b',
      'y@b → z@local',
    ]);
  });

  it('asks for hosts once, however many local steps follow', () => {
    const locals = [1, 2, 3].map((i) => on(local, step(`l${i}`)));
    expect(buildGraph(sequence(on(many('h', 10), step('x')), ...locals)).edges.count).toBe(10 + 2);
    expect(buildGraph(sequence(...locals, on(many('h', 10), step('x')))).edges.count).toBe(2 + 10);
    const [first, ...rest] = locals;
    expect(buildGraph(sequence(first!, sequence(...rest, on(many('h', 10), step('x'))))).edges.count).toBe(2 + 10);
  });

  it('links a host’s step behind a local one once', () => {
    const plan = sequence(...['x', 'l', 'y', 'z'].map((name) => on(name === 'l' ? local : hosts('a'), step(name))));
    expect(edges(plan)).toEqual(['l@local → y@a', 'x@a → l@local', 'x@a → y@a', 'y@a → z@a']);
  });

  it('links a local step to each host once', () => {
    const plan = sequence(on(local, step('l')), on(ab, step('x')), on(abc, step('y')));
    expect(edges(plan)).toEqual(['l@local → x@a', 'l@local → x@b', 'l@local → y@c', 'x@a → y@a', 'x@b → y@b']);
    const mirrored = sequence(on(abc, step('y')), sequence(on(ab, step('x')), on(local, step('l'))));
    expect(edges(mirrored)).toEqual(['x@a → l@local', 'x@b → l@local', 'y@a → x@a', 'y@b → x@b', 'y@c → l@local']);
  });

  it('takes a step that is done already as done', () => {
    const shared = on(ab, step('x'));
    const plan = sequence(shared, parallel(sequence(shared, on(ab, step('y'))), sequence(shared, on(ab, step('z')))));
    expect(edges(plan)).toEqual(['x@a → y@a', 'x@a → z@a', 'x@b → y@b', 'x@b → z@b']);
  });

  it('cannot do a step again once others have waited for it', () => {
    const x = on(ab, step('x'));
    expect(() => buildGraph(sequence(x, on(local, step('l')), x))).toThrow('wait for each other');
  });

  it('refuses one step used in two ways', () => {
    const shared = on(ab, step('x'));
    const gate = on(local, step('gate'));
    expect(() => parallel(shared, until(gate, shared))).toThrow('x and x are one step, used in two different ways');
  });

  it('of nothing is nothing, of one is that one', () => {
    const one = on(ab, step('x'));
    expect(sequence(nothing(), one, nothing())).toBe(one);
    expect(parallel(nothing(), one)).toBe(one);
    expect(sequence()).toBe(nothing());
    expect(parallel()).toBe(nothing());
  });

  it('links what was made host by host as it links the same made for all', () => {
    const machines = many('h', 100);
    const names = ['x', 'y', 'z'];
    const each = sequence(
      ...names.map((name) => perHost(machines, (host) => on(host, step(name)))),
      on(local, step('l')),
    );
    const all = sequence(...names.map((name) => on(machines, step(name))), on(local, step('l')));
    expect(edges(each)).toEqual(edges(all));
  });
});

describe('barrier', () => {
  it('has an edge from each host before and to each host after, and no more', () => {
    const plan = barrier('wait', 'all', on(many('h', 7), step('x')), on(many('h', 4), step('y')));
    const through = edges(plan).filter((edge) => edge.includes('wait@local'));
    expect(through).toHaveLength(7 + 4);
    expect(edges(plan)).toHaveLength(7 + 4 + 4);
  });

  it('lets the local machine go on with a majority, while each host still needs its own', () => {
    const plan = sequence(barrier('wait', 'quorum', on(abc, step('x')), on(local, step('l'))), on(abc, step('y')));
    expect(edges(plan)).toEqual([
      'l@local → y@a',
      'l@local → y@b',
      'l@local → y@c',
      'wait@local → l@local',
      'x@a → wait@local',
      'x@a → y@a',
      'x@b → wait@local',
      'x@b → y@b',
      'x@c → wait@local',
      'x@c → y@c',
    ]);
  });

  it('counts the votes of its own hosts only', () => {
    const plan = sequence(on(many('w', 9), step('x')), barrier('wait', 'quorum', on(abc, step('y')), nothing()));
    const node = [...plan.nodes.values()].find((one) => one.id === 'wait');
    expect(node?.body).toMatchObject({ needs: 'quorum', voters: { names: ['a', 'b', 'c'] } });
    expect(edges(plan).filter((edge) => edge.endsWith('wait@local'))).toHaveLength(12);
  });

  it('waits for the batch since the last one, not for every host again', () => {
    const plan = sequence(on(ab, step('x')), join('one', 'quorum'), on(hosts('c'), step('y')), join('two', 'quorum'));
    expect(edges(plan).filter((edge) => edge.endsWith('two@local'))).toEqual([
      'one@local → two@local',
      'y@c → two@local',
    ]);
  });
});

describe('rolling', () => {
  const batches = (count: number, policy: Parameters<typeof rolling>[2]) => {
    const made: string[][] = [];
    const plan = rolling('roll', many('h', count), policy, (batch) => {
      made.push(batch.map((host) => host.name));
      return on(batch, step('x'));
    });
    return { made, plan };
  };

  it('takes every host once, the canary first', () => {
    expect(batches(5, { batch: 2, canary: 1 }).made).toEqual([['h1'], ['h2', 'h3'], ['h4', 'h5']]);
    expect(batches(5, { batch: 2 }).made).toEqual([['h1', 'h2'], ['h3', 'h4'], ['h5']]);
    expect(batches(10, { batch: '25%' }).made.map((batch) => batch.length)).toEqual([2, 2, 2, 2, 2]);
    expect(batches(3, { batch: '10%' }).made).toEqual([['h1'], ['h2'], ['h3']]);
    expect(batches(3, { batch: 1.5, canary: 9 }).made).toEqual([['h1', 'h2', 'h3']]);
    expect(batches(0, { batch: 1 }).plan.nodes.size).toBe(0);
  });

  it('refuses a batch that would leave hosts out', () => {
    expect(() => batches(3, { batch: Number.NaN })).toThrow(RangeError);
    expect(() => batches(3, { batch: -1 })).toThrow(RangeError);
    expect(() => batches(3, { batch: 1, canary: -1 })).toThrow(RangeError);
  });

  it('has a barrier between batches', () => {
    const { plan } = batches(3, { batch: 1 });
    expect(edges(plan)).toEqual([
      'roll-batch-2@local → roll-batch-3@local',
      'roll-batch-2@local → x@h2',
      'roll-batch-3@local → x@h3',
      'x@h1 → roll-batch-2@local',
      'x@h2 → roll-batch-3@local',
    ]);
  });

  it('has edges in proportion to its hosts, however small the batches', () => {
    const { plan } = batches(300, { batch: 1, needs: 'quorum' });
    expect(buildGraph(plan).edges.count).toBeLessThan(4 * 300);
  });

  it('asks the batch, not the hosts that are still to come', () => {
    const workers = many('h', 9);
    const roll = rolling('roll', workers, { batch: 4, canary: 1, needs: 'quorum' }, (batch) => on(batch, step('x')));
    const plan = sequence(on(workers, step('prepare')), roll);
    const voters = [...plan.nodes.values()].flatMap(({ body }) => (body.type === 'join' ? [body.voters?.names] : []));
    expect(voters).toEqual([['h1'], ['h2', 'h3', 'h4', 'h5']]);
  });
});

describe('until', () => {
  it('waits for a gate on one host everywhere', () => {
    const plan = until(on(hosts('a'), step('gate')), on([...abc, local], step('x')));
    expect(edges(plan)).toEqual(['gate@a → x@a', 'gate@a → x@b', 'gate@a → x@c', 'gate@a → x@local']);
  });

  it('waits for a gate on many hosts host by host', () => {
    expect(edges(until(on(ab, step('gate')), on(ab, step('x'))))).toEqual(['gate@a → x@a', 'gate@b → x@b']);
  });

  it('leaves joins without a gate, so that hosts can wait inside', () => {
    const plan = until(on(ab, step('gate')), barrier('wait', 'all', on(ab, step('x')), on(ab, step('y'))));
    const gated = [...plan.nodes.values()].filter((node) => node.until).map((node) => node.id);
    expect(gated).toEqual(['x', 'y']);
    expect(() => buildGraph(plan)).not.toThrow();
  });

  it('keeps the inner gate, which the outer one decides about', () => {
    const outer = on(local, step('outer'));
    const inner = on(local, step('inner'));
    const plan = until(outer, until(inner, on(ab, step('x'))));
    expect([...plan.nodes.values()].map((node) => [node.id, node.until?.name])).toEqual([
      ['outer', undefined],
      ['inner', 'outer'],
      ['x', 'inner'],
    ]);
  });

  it('needs exactly one gate', () => {
    const two = parallel(on(local, step('one')), on(local, step('two')));
    expect(() => until(two, on(ab, step('x')))).toThrow(TypeError);
    expect(() => until(nothing(), on(ab, step('x')))).toThrow(TypeError);
  });
});

describe('types', () => {
  it('refuse a value of another type, or none', () => {
    const number = on(local, { name: 'n', step: touch.definition, want: {}, weight: 1, output: 5 });
    const text = on(local, touch({ path: '/x' }));
    joinStep({ token: text.ref(), endpoint: 'e' });
    // @ts-expect-error a number is no token
    joinStep({ token: number.ref(), endpoint: 'e' });
    // @ts-expect-error nothing gives the endpoint
    joinStep({ token: text.ref() });
  });
});
