import { describe, expect, it } from 'vitest';
import { hosts, local, step } from '../../test/plans/fixtures.ts';
import { join, nothing, on, parallel, sequence } from './combinators.ts';
import { EdgeList } from './edges.ts';
import { buildGraph } from './graph.ts';
import { criticalPath, remainingPath, topologicalOrder } from './order.ts';

const weighing = (name: string, weight: number) => ({ ...step(name), weight });

describe('topologicalOrder', () => {
  it('puts every node behind what it needs', () => {
    const list = new EdgeList();
    for (const [from, to] of [
      [3, 1],
      [1, 0],
      [3, 2],
      [2, 0],
    ] as const)
      list.add(from, to);
    expect(topologicalOrder(list.finish(4), 4)).toEqual({ order: Uint32Array.of(3, 1, 2, 0) });
  });

  it('finds the cycle, not what hangs on it', () => {
    const list = new EdgeList();
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [2, 1],
      [2, 3],
    ] as const)
      list.add(from, to);
    const found = topologicalOrder(list.finish(4), 4);
    expect('cycle' in found && [...new Set(found.cycle)].sort()).toEqual([1, 2]);
  });

  it('finds a cycle of half a million nodes in no time', () => {
    const size = 500_000;
    const list = new EdgeList();
    for (let i = 0; i < size; i++) list.add(i, (i + 1) % size);
    const found = topologicalOrder(list.finish(size), size);
    expect('cycle' in found && found.cycle.length).toBe(size + 1);
  });

  it('finds a node that waits for itself', () => {
    const list = new EdgeList();
    list.add(0, 0);
    expect(topologicalOrder(list.finish(1), 1)).toEqual({ cycle: [0, 0] });
  });
});

describe('the critical path', () => {
  const ab = hosts('a', 'b');
  const plan = sequence(
    on(local, weighing('fetch', 5)),
    parallel(
      on(ab, (host) => weighing('build', host.name === 'b' ? 30 : 2)),
      on(hosts('c'), weighing('small', 20)),
    ),
    join('wait'),
    on(ab, weighing('start', 3)),
  );

  it('is the longest chain by the steps’ own estimates', () => {
    const graph = buildGraph(plan);
    const { nodes, seconds } = criticalPath(graph);
    expect(nodes.slice(0, 3).map((i) => graph.id(i))).toEqual(['fetch@local', 'build@b', 'wait@local']);
    expect(nodes).toHaveLength(4);
    expect(seconds).toBe(38);
  });

  it('is known from every node to the end', () => {
    const graph = buildGraph(plan);
    const remaining = remainingPath(graph);
    const left = Object.fromEntries(Array.from({ length: graph.size }, (_, i) => [graph.id(i), remaining[i]]));
    expect(left).toMatchObject({
      'fetch@local': 38,
      'build@b': 33,
      'build@a': 5,
      'small@c': 23,
      'wait@local': 3,
      'start@a': 3,
    });
  });

  it('of nothing is nothing', () => {
    expect(criticalPath(buildGraph(nothing()))).toEqual({ nodes: [], seconds: 0 });
  });
});
