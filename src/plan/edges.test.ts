import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EdgeList } from './edges.ts';

describe('EdgeList', () => {
  it('keeps each edge once and finds it from both ends', () => {
    const edge = fc.tuple(fc.nat(9), fc.nat(9));
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 60 }), (added) => {
        const list = new EdgeList();
        for (const [from, to] of added) list.add(from, to);
        const { count, nextStart, next, previousStart, previous } = list.finish(10);
        const expected = [...new Set(added.map(([from, to]) => `${from}-${to}`))].sort();
        const nodes = Array.from({ length: 10 }, (_, i) => i);
        const forwards = nodes.flatMap((i) =>
          [...next.subarray(nextStart[i], nextStart[i + 1])].map((k) => `${i}-${k}`),
        );
        const backwards = nodes.flatMap((i) =>
          [...previous.subarray(previousStart[i], previousStart[i + 1])].map((k) => `${k}-${i}`),
        );
        expect(forwards.sort()).toEqual(expected);
        expect(backwards.sort()).toEqual(expected);
        expect(count).toBe(expected.length);
      }),
    );
  });

  it('grows', () => {
    const list = new EdgeList();
    for (let i = 0; i < 5000; i++) list.add(0, i + 1);
    expect(list.finish(5001).count).toBe(5000);
  });
});
