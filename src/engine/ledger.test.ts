import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { host, kv, seeded } from '../../test/rig/engine.ts';
import { runs } from '../../test/rig/thorough.ts';
import { nothing, on, parallel, sequence } from '../plan/combinators.ts';
import { buildGraph, type ExecutionGraph } from '../plan/graph.ts';
import type { Link } from '../plan/node.ts';
import { criticalPathOf } from './critical-path.ts';
import { Ledger, type Taken } from './ledger.ts';

function graphOf(size: number, edges: readonly (readonly [number, number])[]): ExecutionGraph {
  const nodes = Array.from({ length: size }, (_, i) =>
    on(host('a'), kv({ key: `${i}`, value: '1' }), { name: `n${i}` }),
  );
  const key = (i: number) => nodes[i]!.entryNodes[0]!;
  const links = edges.map(
    ([from, to]): Link => ({ from: key(from).key, to: key(to).key, how: 'host', on: key(to).hosts }),
  );
  const all = parallel(...nodes);
  return buildGraph({ ...all, links });
}

function ancestors(size: number, edges: readonly (readonly [number, number])[]): readonly ReadonlySet<number>[] {
  const all: Set<number>[] = Array.from({ length: size }, () => new Set());
  for (let k = 0; k < size; k++) {
    for (const [from, to] of edges) {
      if (to === k) for (const one of [from, ...all[from]!]) all[k]!.add(one);
    }
  }
  return all;
}

const cases = fc.integer({ min: 2, max: 12 }).chain((size) =>
  fc.record({
    size: fc.constant(size),
    pairs: fc.uniqueArray(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), {
      minLength: size,
      maxLength: size * 3,
      selector: String,
    }),
    changing: fc.array(fc.boolean(), { minLength: size, maxLength: size }),
    seed: fc.nat(),
  }),
);

describe('freshness', () => {
  test('an answer holds exactly as long as nothing the node stands on has changed since', () => {
    fc.assert(
      fc.property(cases, ({ size, pairs, changing, seed }) => {
        const edges = pairs.filter(([a, b]) => a < b);
        const random = seeded(seed);
        const pick = (n: number) => Math.floor(random() * n);
        const graph = graphOf(size, edges);
        const ledger = new Ledger(graph);
        const above = ancestors(size, edges);
        let clock = 0;
        const changedAt = new Map<number, number>();
        const sends = new Map<number, number>();
        const samples: { k: number; at: number; taken: Taken; behind?: number; send?: number }[] = [];
        const started = new Set<number>();
        const settled = new Set<number>();
        const ready = () =>
          Array.from({ length: size }, (_, i) => i).filter(
            (i) => !settled.has(i) && [...above[i]!].every((k) => settled.has(k)),
          );
        while (settled.size < size) {
          clock++;
          const choices = ready();
          const i = choices[pick(choices.length)]!;
          const waiting = Array.from({ length: size }, (_, k) => k).filter((k) => !settled.has(k) && !started.has(k));
          const action = pick(4);
          if (action === 0 && waiting.length > 0) {
            // Somebody asks about a node that is not ready yet, while others are being changed.
            const k = waiting[pick(waiting.length)]!;
            samples.push({ k, at: clock, taken: ledger.now() });
          } else if (action === 1 && changing[i]) {
            // A change is sent (again), with questions right behind it.
            started.add(i);
            sends.set(i, clock);
            const taken = ledger.nowBehind(i);
            for (const k of waiting)
              if (above[k]!.has(i)) samples.push({ k, at: clock, taken, behind: i, send: clock });
          } else if (action >= 2 && (!changing[i] || started.has(i))) {
            for (const sample of samples.filter(({ k }) => k === i)) {
              const holds = [...above[i]!].every((k) => {
                const excused = k === sample.behind && sends.get(k) === sample.send;
                return excused || (changedAt.get(k) ?? 0) <= sample.at;
              });
              expect(ledger.isFresh(i, sample.taken)).toBe(holds);
            }
            ledger.settle(i, changing[i] ? 'changed' : 'satisfied', 0);
            if (changing[i]) changedAt.set(i, clock);
            settled.add(i);
          }
        }
      }),
      { numRuns: runs(1000), verbose: 1 },
    );
  });

  test('a change behind a satisfied node counts, even beside an excused one', () => {
    // 0 and 1 → 2 → 3: asked about 3 behind 0, while 1 was still at work.
    const ledger = new Ledger(
      graphOf(4, [
        [0, 2],
        [1, 2],
        [2, 3],
      ]),
    );
    const taken = ledger.nowBehind(0);
    ledger.settle(1, 'changed', 0);
    ledger.settle(0, 'changed', 0);
    expect(ledger.isFresh(2, taken)).toBe(false);
    ledger.settle(2, 'satisfied', 0);
    expect(ledger.isFresh(3, taken)).toBe(false);
  });

  test('what follows a failure is asked again: the host may have been rolled back', () => {
    const ledger = new Ledger(graphOf(2, [[0, 1]]));
    const taken = ledger.nowBehind(0);
    ledger.settle(0, 'failed', 0);
    expect(ledger.isFresh(1, taken)).toBe(false);
  });
});

describe('counting', () => {
  test('every node is counted once, as what it came to in the end', () => {
    const ledger = new Ledger(graphOf(4, []));
    ledger.settle(0, 'changed', 1);
    ledger.settle(1, 'changed', 1);
    ledger.recount(0, 'reverted');
    ledger.recount(2, 'dirty');
    ledger.settle(2, 'failed', 1);
    ledger.settle(3, 'cut', 1);
    expect(ledger.counts).toEqual({ changed: 1, reverted: 1, dirty: 1 });
    expect(ledger.open).toBe(0);
  });

  test('what needs an undone node must not start', () => {
    const ledger = new Ledger(
      graphOf(3, [
        [0, 1],
        [1, 2],
      ]),
    );
    ledger.settle(0, 'changed', 1);
    expect(ledger.isBlocked(1)).toBe(false);
    ledger.revoke(0);
    expect(ledger.isBlocked(1)).toBe(true);
    expect(ledger.isGood(0)).toBe(false);
    expect(ledger.isBlocked(2)).toBe(false);
  });

  test('the longest chain of work is what bounded the run', () => {
    const graph = buildGraph(
      parallel(
        sequence(
          on(host('a'), kv({ key: 'x', value: '1' }), { name: 'x' }),
          on(host('a'), kv({ key: 'y', value: '1' }), { name: 'y' }),
        ),
        on(host('a'), kv({ key: 'z', value: '1' }), { name: 'z' }),
      ),
    );
    const ledger = new Ledger(graph);
    [30, 40, 50].forEach((ms, i) => {
      ledger.settle(i, 'changed', ms);
    });
    const path = ledger.longestPath();
    expect(path).toEqual([
      { i: 0, durationMs: 30 },
      { i: 1, durationMs: 40 },
    ]);
    expect(criticalPathOf(graph, path)).toEqual({
      criticalPathMs: 70,
      criticalPath: [
        { node: 'x@a', durationMs: 30 },
        { node: 'y@a', durationMs: 40 },
      ],
    });
    expect(new Ledger(buildGraph(nothing())).longestPath()).toEqual([]);
  });

  test('of a long chain the longest steps are kept, in their order', () => {
    const names = Array.from({ length: 50 }, (_, i) => `n${i}`);
    const graph = buildGraph(sequence(...names.map((name) => on(host('a'), kv({ key: name, value: '1' }), { name }))));
    const ledger = new Ledger(graph);
    // Every other one takes its time.
    names.forEach((_, i) => {
      ledger.settle(i, 'changed', i % 2 === 0 ? 100 + i : 1);
    });
    const { criticalPath } = criticalPathOf(graph, ledger.longestPath());
    expect(criticalPath.length).toBe(30);
    expect(criticalPath.filter(({ durationMs }) => durationMs >= 100).map(({ node }) => node)).toEqual(
      names.filter((_, i) => i % 2 === 0).map((name) => `${name}@a`),
    );
  });
});
