import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { host, local, Manual, Rig, seeded } from '../../test/rig/engine.ts';
import { runs, thorough } from '../../test/rig/thorough.ts';
import type { Machine } from '../model/host.ts';
import { output } from '../model/host.ts';
import { sh } from '../model/script.ts';
import { barrier, on, parallel, sequence } from '../plan/combinators.ts';
import { buildGraph, type ExecutionGraph } from '../plan/graph.ts';
import type { ExecutionFragment, Link } from '../plan/node.ts';
import { remainingPath } from '../plan/order.ts';
import { defineStep, satisfied } from '../plan/step.ts';
import { Heap } from './heap.ts';

/** A graph of single nodes with any edges from a lower to a higher number. */
function anyGraph(
  hosts: readonly string[],
  edges: readonly (readonly [number, number])[],
  manual: Manual,
  sends: (i: number) => boolean = () => false,
): ExecutionFragment {
  const nodes = hosts.map((name, i) => {
    const use = manual.use({ name: `n${i}` });
    return on(host(name), sends(i) ? { ...use, step: { ...use.step, sends: true } } : use, { name: `n${i}` });
  });
  const links: Link[] = edges.map(([a, b]) => {
    const from = nodes[a]!.entryNodes[0]!;
    const to = nodes[b]!.entryNodes[0]!;
    return { from: from.key, to: to.key, how: 'spread', on: to.hosts };
  });
  const all = parallel(...nodes);
  return { ...all, links: [...all.links, ...links] };
}

const graphs = fc
  .integer({ min: 1, max: 24 })
  .chain((size) =>
    fc.record({
      hosts: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: size, maxLength: size }),
      pairs: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: size * 2 }),
      total: fc.integer({ min: 1, max: 6 }),
      perHost: fc.integer({ min: 1, max: 3 }),
      sending: fc.integer({ min: 1, max: 3 }),
      senders: fc.array(fc.boolean(), { minLength: size, maxLength: size }),
      seed: fc.nat(),
    }),
  )
  .map(({ pairs, ...rest }) => {
    const unique = new Map(
      pairs
        .filter(([a, b]) => a !== b)
        .map(([a, b]) => [`${Math.min(a, b)}-${Math.max(a, b)}`, [Math.min(a, b), Math.max(a, b)] as const]),
    );
    return { ...rest, edges: [...unique.values()] };
  });

describe('scheduling', () => {
  test('keeps the order, the limits, and runs every node once, whatever ends first', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async ({ hosts, edges, senders, seed, ...limits }) => {
        const { total, perHost, sending } = limits;
        const rig = new Rig(['a', 'b', 'c']);
        const manual = new Manual();
        const random = seeded(seed);
        const running = rig.run(
          anyGraph(hosts, edges, manual, (i) => senders[i] === true),
          { limits },
        );
        const over = new Set<string>();
        let done = false;
        const end = running.then((result) => {
          done = true;
          return result;
        });
        while (!done) {
          const { held } = manual;
          expect(held.length).toBeLessThanOrEqual(total);
          for (const name of ['a', 'b', 'c']) {
            expect(held.filter((one) => one.endsWith(`@${name}`)).length).toBeLessThanOrEqual(perHost);
          }
          const sent = held.filter((one) => senders[Number(/\d+/.exec(one)![0])]);
          expect(sent.length).toBeLessThanOrEqual(sending);
          for (const name of held) {
            const i = Number(/\d+/.exec(name)![0]);
            for (const [from, to] of edges) if (to === i) expect(over).toContain(`n${from}@${hosts[from]}`);
          }
          const pick = held[Math.floor(random() * held.length)];
          if (pick !== undefined) {
            over.add(pick);
            manual.go(pick);
          }
          await new Promise((resolve) => setImmediate(resolve));
        }
        const result = await end;
        expect(result.outcome).toBe('succeeded');
        expect(manual.started.toSorted()).toEqual(hosts.map((name, i) => `n${i}@${name}`).toSorted());
        expect(result.counts).toEqual({ ran: hosts.length });
      }),
      { numRuns: runs(150), verbose: 1 },
    );
  });

  test('few send at a time, what most waits for first; the line is free once a file has arrived', async () => {
    const [rig, manual] = [new Rig(['a', 'b', 'c']), new Manual()];
    const [after, put] = [new Manual(), [] as string[]];
    const sends = defineStep<{ readonly name: string }>()({
      kind: 'sends',
      description: 'sends a file, and works on',
      title: (want) => want.name,
      nature: 'action',
      sends: true,
      apply: async (at, want, io) => {
        await manual.use.definition.apply(at, want, io);
        put.push(at.name);
        io.sent();
        await after.use.definition.apply(at, want, io);
      },
      example: { name: 'x' },
    });
    const sent = on([host('a'), host('b'), host('c')], sends({ name: 's' }));
    const behind = on(host('c'), after.use({ name: 'long', weight: 99 }));
    const run = rig.run(sequence(sent, behind), { limits: { total: 9, perHost: 2, sending: 1 } });
    for (const [i, name] of ['c', 'a', 'b'].entries()) {
      await manual.until([`s@${name}`]);
      expect(manual.started).toHaveLength(i + 1);
      manual.go(`s@${name}`);
    }
    await after.until(['s@a', 's@b', 's@c']);
    expect(put).toEqual(['c', 'a', 'b']);
    for (const name of ['s@a', 's@b', 's@c']) after.go(name);
    await after.until(['long@c']);
    after.go('long@c');
    expect((await run).outcome).toBe('succeeded');
  });

  test('starts what has the longest way to go first', async () => {
    const rig = new Rig(['a']);
    const manual = new Manual();
    const a = host('a');
    const chain = (name: string, length: number) =>
      sequence(
        ...Array.from({ length }, (_, k) => on(a, manual.use({ name: `${name}${k}` }), { name: `${name}${k}` })),
      );
    const heavy = on(a, manual.use({ name: 'heavy', weight: 30 }), { name: 'heavy' });
    const run = rig.run(parallel(chain('short', 1), chain('long', 5), heavy, chain('middle', 3)), {
      limits: { total: 1, perHost: 1 },
    });
    const order: string[] = [];
    while (order.length < 10) {
      await manual.until(1);
      order.push(manual.held[0]!);
      manual.go(manual.held[0]!);
    }
    await run;
    expect(order.map((name) => name.split('@')[0])).toEqual([
      'heavy',
      'long0',
      'long1',
      'long2',
      'middle0',
      'long3',
      'middle1',
      'short0',
      'long4',
      'middle2',
    ]);
  });

  test('goes on with other hosts while one is full', async () => {
    const rig = new Rig(['a', 'b']);
    const manual = new Manual();
    const many = (name: string, n: number, weight: number) =>
      parallel(
        ...Array.from({ length: n }, (_, k) =>
          on(host(name), manual.use({ name: `${k}`, weight }), { name: `${name}${k}` }),
        ),
      );
    const run = rig.run(parallel(many('a', 6, 10), many('b', 2, 1)), { limits: { total: 4, perHost: 2 } });
    await manual.until(4);
    expect(manual.held.toSorted()).toEqual(['0@a', '0@b', '1@a', '1@b']);
    for (const name of ['2@a', '3@a', '4@a', '5@a']) {
      manual.go(manual.held.find((one) => one.endsWith('@a'))!);
      await manual.until([name]);
      expect(manual.held.filter((one) => one.endsWith('@a')).length).toBe(2);
    }
    for (const name of manual.held) manual.go(name);
    expect((await run).outcome).toBe('succeeded');
  });

  test('waits at a barrier for all hosts', async () => {
    const rig = new Rig(['a', 'b']);
    const manual = new Manual();
    const both = [host('a'), host('b')];
    const before = on(both, manual.use({ name: 'before' }), { name: 'before' });
    const after = on(both, manual.use({ name: 'after' }), { name: 'after' });
    const run = rig.run(barrier('meet', 'all', before, after));
    await manual.until(2);
    manual.go('before@a');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(manual.held).toEqual(['before@b']);
    manual.go('before@b');
    await manual.until(2);
    for (const name of manual.held) manual.go(name);
    expect((await run).counts).toEqual({ ran: 4 });
  });

  test('the queue gives out the highest priority, and of equals the first of the plan', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 60 }), (priorities) => {
        const heap = new Heap(Float64Array.from(priorities));
        priorities.forEach((_, i) => {
          heap.push(i);
        });
        const out: number[] = [];
        for (let i = heap.pop(); i !== undefined; i = heap.pop()) out.push(i);
        const expected = priorities.map((_, i) => i).toSorted((a, b) => priorities[b]! - priorities[a]! || a - b);
        expect(out).toEqual(expected);
      }),
    );
  });
});

const empty = defineStep<{ readonly name: string }>()({
  kind: 'empty',
  description: 'does nothing',
  title: (want) => want.name,
  nature: 'action',
  apply: () => sh`:`,
  example: { name: 'x' },
});

const looked = defineStep<{ readonly name: string }>()({
  ...empty.definition,
  kind: 'looked',
  nature: 'state',
  probe: () => sh`:`,
  judge: () => satisfied(),
});

/** A machine that answers at once: what is measured is the engine. */
function idle(name: string): Machine {
  const none = output(0);
  const template = new Rig([]).machine('local');
  return Object.assign(Object.create(template) as Machine, {
    name,
    run: async () => none,
    batch: async (probes: readonly unknown[]) => probes.map(() => none),
  });
}

describe('size', () => {
  const run = async (graph: ExecutionGraph, names: readonly string[]) => {
    const rig = new Rig([]);
    const machines = new Map([...names, 'local'].map((name) => [name, idle(name)]));
    const before = process.cpuUsage();
    const result = await rig.run(graph, { machines, emit: () => undefined, limits: { total: 256, perHost: 4 } });
    const { user, system } = process.cpuUsage(before);
    return { result, microseconds: (user + system) / graph.size };
  };

  test('a chain of 10,000 nodes does not overflow the stack, looked at or run', async () => {
    for (const step of [empty, looked]) {
      const chain = Array.from({ length: 10_000 }, (_, i) => on(host('a'), step({ name: `${i}` }), { name: `n${i}` }));
      const { result } = await run(buildGraph(sequence(...chain)), ['a']);
      expect(result.counts).toEqual(step === empty ? { ran: 10_000 } : { satisfied: 10_000 });
    }
  });

  test('10,000 steps of the local machine, each settled without waiting, do not overflow it either', async () => {
    const chain = Array.from({ length: 10_000 }, (_, i) =>
      on(local, empty({ name: `${i}` }), { name: `n${i}`, tags: ['no'] }),
    );
    const rig = new Rig([]);
    const result = await rig.run(sequence(...chain), { selection: { tags: [], skipTags: ['no'] } });
    expect(result).toMatchObject({ outcome: 'succeeded', counts: {} });
    expect(rig.events).toEqual([]);
  });

  test('very many satisfied nodes, and as many empty ones, are scheduled in a few microseconds each', async () => {
    const names = Array.from({ length: thorough ? 5000 : 500 }, (_, i) => `host${i}`);
    const hosts = names.map(host);
    const graphOf = (step: typeof empty) =>
      buildGraph(
        sequence(...Array.from({ length: 100 }, (_, i) => on(hosts, step({ name: `${i}` }), { name: `n${i}` }))),
      );
    const satisfied = await run(graphOf(looked), names);
    expect(satisfied.result.counts).toEqual({ satisfied: names.length * 100 });
    const ran = await run(graphOf(empty), names);
    expect(ran.result.counts).toEqual({ ran: names.length * 100 });
    // Of the processor's time, so that a busy machine does not matter. The goal is 15.
    expect(satisfied.microseconds).toBeLessThan(10);
    expect(ran.microseconds).toBeLessThan(25);
  });

  test('10,000 changes that wait for one host cost no more than their share', async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => on(host('a'), empty({ name: `${i}` }), { name: `n${i}` }));
    const { result, microseconds } = await run(buildGraph(parallel(...many)), ['a']);
    expect(result.counts).toEqual({ ran: 10_000 });
    expect(microseconds).toBeLessThan(100);
  });

  test('the remaining path is what the queue goes by', () => {
    const graph = buildGraph(
      sequence(on(host('a'), empty({ name: 'x' }), { name: 'x' }), on(host('a'), empty({ name: 'y' }), { name: 'y' })),
    );
    expect([...remainingPath(graph)]).toEqual([2, 1]);
  });
});
