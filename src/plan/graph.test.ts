import { describe, expect, it } from 'vitest';
import { edgesOf, hosts, local, many, step, touch } from '../../test/plans/fixtures.ts';
import { KubexmError } from '../model/errors/index.ts';
import { LOCAL } from '../model/host.ts';
import { barrier, join, mapNodes, nothing, on, parallel, perHost, sequence, until } from './combinators.ts';
import { buildGraph } from './graph.ts';
import { HostSet } from './host-set.ts';
import type { ExecutionFragment } from './node.ts';
import type { Ref } from './ref.ts';

const ab = hosts('a', 'b');
const edges = (fragment: ExecutionFragment) => [...edgesOf(buildGraph(fragment))].sort();
const using = (name: string, ...values: readonly Ref<unknown>[]) => ({
  ...touch({ path: '/x' }),
  name,
  want: { values },
});

function problems(fragment: ExecutionFragment): readonly string[] {
  try {
    buildGraph(fragment);
  } catch (error) {
    if (error instanceof KubexmError && error.code === 'KX4001') return (error.detail ?? '').split('\n');
    throw error;
  }
  return [];
}

describe('Refs', () => {
  it('draw an edge on the same host', () => {
    const made = on(ab, step('made'));
    expect(edges(parallel(made, on(ab, using('used', made.ref(), made.ref()))))).toEqual([
      'made@a → used@a',
      'made@b → used@b',
    ]);
  });

  it('draw edges from one host to all who use its value', () => {
    const made = on(ab, step('made'));
    const single = on(local, step('single'));
    expect(edges(parallel(made, on(ab, using('used', made.refFrom({ name: 'b' })))))).toEqual([
      'made@b → used@a',
      'made@b → used@b',
    ]);
    expect(edges(parallel(single, on(ab, using('used', single.ref()))))).toEqual([
      'single@local → used@a',
      'single@local → used@b',
    ]);
  });

  it('to all values lead through a join of m + n edges', () => {
    const made = on(many('m', 50), step('made'));
    const plan = parallel(
      made,
      on(many('n', 40), using('one', made.refs())),
      on(many('n', 30), using('two', made.refs())),
    );
    const graph = buildGraph(plan);
    expect(graph.edges.count).toBe(50 + 40 + 30);
    expect(graph.nodes.map((node) => node.id)).toEqual(['made', 'one', 'two', 'made-values']);
  });

  it('to all values lead to the host that uses them, where wants differ', () => {
    const made = on(ab, step('made'));
    const plan = parallel(
      made,
      on(hosts('c', 'd', 'e'), (host) => (host.name === 'd' ? using('used', made.refs()) : step('used'))),
    );
    expect(edges(plan)).toEqual(['made@a → used@d', 'made@b → used@d']);
  });

  it('to all values need no m × n edges where wants differ', () => {
    const made = on(many('m', 50), step('made'));
    const plan = parallel(
      made,
      on(many('n', 40), (host) => ({ ...using('used', made.refs()), want: { all: made.refs(), own: host.name } })),
    );
    expect(buildGraph(plan).edges.count).toBe(90);
  });

  it('to all values of a single producer need no join', () => {
    const made = on(hosts('a'), step('made'));
    expect(edges(parallel(made, on(ab, using('used', made.refs()))))).toEqual(['made@a → used@a', 'made@a → used@b']);
  });

  it('to a gated producer of many hosts can be gathered', () => {
    const made = on(ab, step('made'));
    const plan = sequence(until(on(ab, step('gate')), made), on(ab, using('used', made.refs())));
    expect(problems(plan)).toEqual([]);
  });

  it('that nothing produces are found, all of them', () => {
    const missing = on(ab, step('missing'));
    const there = on(hosts('a'), step('there'));
    const plan = parallel(
      there,
      on(ab, step('on-both')),
      on(ab, using('used', missing.ref(), missing.refs(), there.refFrom({ name: 'zz' }))),
      on(local, using('late', on(ab, step('x')).ref())),
    );
    expect(problems(plan)).toEqual([
      'used uses the value of missing, which is not part of the plan',
      'used uses the value of missing, which is not part of the plan',
      'used uses the value of there on zz, where nothing produces it',
      'late uses the value of x, which is not part of the plan',
    ]);
  });

  it('to the own host need a producer on every host', () => {
    const made = on(ab, step('made'));
    expect(problems(parallel(made, on([...ab, ...hosts('c')], using('used', made.ref()))))).toEqual([
      'used uses the value of made on c, where nothing produces it',
    ]);
    expect(problems(parallel(made, on(local, using('used', made.ref()))))).toHaveLength(1);
  });
});

describe('validation', () => {
  it('finds cycles and names them', () => {
    const a = on(ab, step('x'));
    const b = on(ab, using('y', a.ref()));
    const [problem] = problems(sequence(b, a));
    expect(problem).toMatch(/^these steps wait for each other: (x@a → y@a → x@a|y@a → x@a → y@a)$/);
  });

  it('shows the ends of a very long cycle', () => {
    const parts = Array.from({ length: 2000 }, (_, i) => on(local, step(`s${i}`)));
    const plan = sequence(...parts);
    const [first, last] = [parts[0]!, parts.at(-1)!];
    const key = (fragment: ExecutionFragment) => fragment.entryNodes[0]!.key;
    const closed = {
      ...plan,
      links: [...plan.links, { from: key(last), to: key(first), how: 'host' as const, on: HostSet.of([LOCAL]) }],
    };
    const [problem] = problems(closed);
    expect(problem).toMatch(/… 1989 more …/);
    expect(problem!.length).toBeLessThan(400);
  });

  it('finds two different steps of one id', () => {
    expect(problems(parallel(on(ab, step('x')), on(hosts('b', 'c'), step('x'))))).toEqual([
      'two different steps have the id x@b',
    ]);
    expect(problems(parallel(on(ab, step('x')), on(hosts('c'), step('x')), on(hosts('c'), step('x'))))).toEqual([
      'two different steps have the id x@c',
    ]);
    expect(problems(perHost(ab, (host) => on(host, step('x'))))).toEqual([]);
  });

  it('finds edges that lead nowhere', () => {
    const x = on(ab, step('x'));
    const y = on(ab, step('y'));
    const [from, to] = [x.entryNodes[0]!.key, y.entryNodes[0]!.key];
    const plan = parallel(x, y);
    const with_ = (link: Partial<ExecutionFragment['links'][number]>): ExecutionFragment => ({
      ...plan,
      links: [{ from, to, how: 'host', on: HostSet.of(['a']), ...link }],
    });
    expect(problems(with_({ to: { name: 'gone' } }))).toEqual(['an edge leads to gone, which is not part of the plan']);
    expect(problems(with_({ from: { name: 'gone' } }))).toEqual([
      'an edge leads to gone, which is not part of the plan',
    ]);
    expect(problems(with_({ on: HostSet.of(['a', 'zz']) }))).toEqual([
      'an edge from x to y leads over zz, where one of them is not',
    ]);
    expect(problems(with_({ how: 'spread', fromHost: 'zz' }))).toEqual([
      'an edge from x to y leads over zz, where one of them is not',
    ]);
    expect(problems(with_({ how: 'gather' }))).toEqual([
      'an edge from x to y leads over local, where one of them is not',
    ]);
    expect(problems(with_({ how: 'gather', toHost: 'b' }))).toEqual([]);
  });

  it('finds gates that cannot decide', () => {
    const gate = on(ab, step('gate'));
    expect(problems(until(gate, on([...ab, ...hosts('c')], step('x'))))).toEqual([
      'x runs on hosts that its gate gate does not look at',
    ]);
    expect(problems(until(join('gate'), on(ab, step('x'))))).toEqual([
      'x has the join gate as its gate, which looks at nothing',
    ]);
    const gated = mapNodes(on(ab, step('x')), (node) => ({ ...node, until: { name: 'gone' } }));
    expect(problems(gated)).toEqual(['x waits for the gate gone, which is not part of the plan']);
  });

  it('looks at how tasks are undone, with the values of the plan at hand', () => {
    const made = on(ab, step('made'));
    const undoing = (undo: ExecutionFragment) =>
      sequence(
        made,
        mapNodes(on(ab, step('x')), (node) => ({ ...node, task: { id: 't', module: 'm', compensate: undo } })),
      );
    expect(problems(undoing(on(ab, using('undo', made.ref()))))).toEqual([]);
    expect(problems(undoing(on(ab, using('undo', on(ab, step('gone')).ref()))))).toEqual([
      'undoing t: undo uses the value of gone, which is not part of the plan',
    ]);
    expect(problems(undoing(parallel(on(ab, step('y')), on(ab, step('y')))))).toEqual([
      'undoing t: two different steps have the id y@a',
    ]);
  });

  it('shows the first of very many problems', () => {
    const gone = on(ab, step('gone')).ref();
    const plan = parallel(...Array.from({ length: 70 }, (_, i) => on(ab, using(`u${i}`, gone))));
    const found = problems(plan);
    expect(found).toHaveLength(51);
    expect(found.at(-1)).toBe('… and 20 more');
  });
});

describe('the graph', () => {
  it('knows its nodes by number, host and id', () => {
    const x = on(ab, step('x'));
    const graph = buildGraph(sequence(x, join('wait'), on(hosts('b', 'c'), step('y'))));
    expect(graph.size).toBe(5);
    expect(graph.hosts).toEqual(['a', 'b', LOCAL, 'c']);
    const node = graph.indexOf(x.entryNodes[0]!.key)!;
    const i = graph.at(node, 'b')!;
    expect([graph.id(i), graph.host(i), graph.node(i).id, graph.use(i)?.name]).toEqual(['x@b', 'b', 'x', 'x']);
    expect(graph.at(node, 'c')).toBeUndefined();
    expect(graph.use(graph.at(1, LOCAL)!)).toBeUndefined();
    expect(() => graph.node(99)).toThrow(RangeError);
    expect(() => graph.host(99)).toThrow(RangeError);
  });

  it('of nothing is empty', () => {
    expect(buildGraph(nothing())).toMatchObject({ size: 0, hosts: [], nodes: [] });
  });

  it('may rely on values of a graph that ran before', () => {
    const made = on(ab, step('made'));
    const given = buildGraph(made);
    expect(buildGraph(on(ab, using('used', made.ref())), { given }).edges.count).toBe(0);
    expect(() => buildGraph(on(hosts('c'), using('used', made.ref())), { given })).toThrow(KubexmError);
  });

  it('has a hash that tells plans apart, and only plans', () => {
    const plan = (path = '/x', names = ['a', 'b'], needs: 'all' | 'quorum' = 'all') =>
      barrier('wait', needs, on(hosts(...names), step('x', path)), on(ab, step('y')));
    const hash = (fragment: ExecutionFragment) => buildGraph(fragment).hash;
    expect(hash(plan())).toBe(hash(plan()));
    const [x, y] = [on(ab, step('x')), on(ab, step('y'))];
    expect(hash(parallel(x, y))).toBe(hash(parallel(y, x)));
    const each = (names: readonly string[]) => on(hosts(...names), (host) => step('x', `/${host.name}`));
    expect(hash(each(['a', 'b']))).toBe(hash(each(['b', 'a'])));
    const others = [
      plan('/z'),
      plan('/x', ['a']),
      plan('/x', ['a', 'b'], 'quorum'),
      sequence(plan(), on(ab, step('z'))),
    ];
    expect(new Set([...others, plan()].map(hash)).size).toBe(5);
    expect(hash(sequence(x, y))).not.toBe(hash(parallel(x, y)));
  });
});
