import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { host, kv, kvLike, Rig, seeded } from '../../test/rig/engine.ts';
import { MemoryHost, MemoryMachine } from '../../test/rig/memory/memory.ts';
import { runs } from '../../test/rig/thorough.ts';
import { LOCAL, output } from '../model/host.ts';
import { sh } from '../model/script.ts';
import { on, parallel, sequence } from '../plan/combinators.ts';
import type { Link } from '../plan/node.ts';
import { defineStep, needed, satisfied } from '../plan/step.ts';

const a = host('a');
const b = host('b');

/** What a node of the property's graph is: on a host, after others, with a key of its own whose value follows from theirs. */
interface Shape {
  readonly hosts: readonly string[];
  readonly before: readonly (readonly number[])[];
  readonly initial: readonly string[];
  readonly how: readonly ('script' | 'work' | 'job')[];
}

const shapes = fc.integer({ min: 2, max: 14 }).chain((size) =>
  fc.record({
    hosts: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: size, maxLength: size }),
    before: fc.tuple(
      ...Array.from({ length: size }, (_, i) =>
        i === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat(i - 1), { maxLength: 3 }),
      ),
    ),
    // `ok`: as the others' initial values want it, so that it is satisfied unless one of them changes.
    initial: fc.array(fc.constantFrom('ok', 'ok', 'ok', 'wrong'), { minLength: size, maxLength: size }),
    how: fc.array(fc.constantFrom('script' as const, 'script' as const, 'work' as const, 'job' as const), {
      minLength: size,
      maxLength: size,
    }),
  }),
);

/** The value a node wants: another one whenever anything before it is another one. */
const wanted = (i: number, before: readonly number[], value: (k: number) => string) =>
  createHash('sha1')
    .update(`${i} ${before.map(value).join(' ')}`)
    .digest('hex')
    .slice(0, 12);

/** One node after the other, each looked at when it is its turn: what must come out. */
function sequential({ before, initial }: Shape): { values: string[]; changed: number[]; start: string[] } {
  const start: string[] = [];
  before.forEach((previous, i) => {
    start.push(initial[i] === 'ok' ? wanted(i, previous, (k) => start[k]!) : `wrong${'!'.repeat(i + 1)}`);
  });
  const values = [...start];
  const changed: number[] = [];
  before.forEach((previous, i) => {
    const want = wanted(i, previous, (k) => values[k]!);
    if (values[i] === want) return;
    values[i] = want;
    changed.push(i);
  });
  return { values, changed, start };
}

describe('prefetched answers', () => {
  test('an answer that a change has made stale is never used: the run does what one step after the other would do', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.nat(), async (shape, seed) => {
        const random = seeded(seed);
        const expected = sequential(shape);
        const hosts = new Map<string, MemoryHost>();
        const valueAt = (k: number) => hosts.get(shape.hosts[k]!)!.get(`n${k}`) ?? '';
        const commands = {
          // Reads other hosts too, as a probe does that asks the cluster.
          want: ([i = '']: readonly string[]) => output(0, `${wanted(Number(i), shape.before[Number(i)]!, valueAt)}\n`),
          make: async ([i = '']: readonly string[]) => {
            await new Promise((resolve) => setTimeout(resolve, random() * 2));
            const k = Number(i);
            hosts.get(shape.hosts[k]!)!.set(`n${k}`, wanted(k, shape.before[k]!, valueAt));
            return output(0);
          },
        };
        const machines = new Map<string, MemoryMachine>();
        for (const name of ['a', 'b', 'c', LOCAL]) {
          const values = Object.fromEntries(expected.start.map((value, i) => [`n${i}`, value]));
          hosts.set(name, new MemoryHost(name, { values, commands }));
          machines.set(name, new MemoryMachine(hosts.get(name)!, { latencyMs: () => Math.floor(random() * 4) }));
        }
        const step = defineStep<{ readonly i: number; readonly how: string }>()({
          kind: 'derived',
          description: 'a value that follows from others',
          title: ({ i }) => `n${i}`,
          probe: ({ i }) => sh`kv get n${rawNumber(i)}; want ${i}`,
          judge: (seen) => {
            const [now, want] = seen.stdout.split('\n');
            return now === want ? satisfied() : needed(now, [{ what: 'value' }]);
          },
          job: ({ how }) => how === 'job',
          apply: (at, { i, how }) => (how === 'work' ? at.run(sh`make ${i}`).then(() => undefined) : sh`make ${i}`),
          example: { i: 0, how: 'script' },
        });
        const nodes = shape.hosts.map((name, i) => on(host(name), step({ i, how: shape.how[i]! }), { name: `n${i}` }));
        const links = shape.before.flatMap((previous, i) =>
          previous.map((k): Link => {
            const to = nodes[i]!.entryNodes[0]!;
            return { from: nodes[k]!.entryNodes[0]!.key, to: to.key, how: 'spread', on: to.hosts };
          }),
        );
        const all = parallel(...nodes);
        const rig = new Rig([]);
        const result = await rig.run({ ...all, links: [...all.links, ...links] }, { machines });
        const changed = Object.entries(rig.outcomes()).flatMap(([id, how]) =>
          how === 'changed' ? [Number(/\d+/.exec(id)![0])] : [],
        );
        expect(result.outcome).toBe('succeeded');
        expect(shape.hosts.map((_, i) => valueAt(i))).toEqual(expected.values);
        expect(changed.toSorted((x, y) => x - y)).toEqual(expected.changed);
      }),
      { numRuns: runs(200), verbose: 1 },
    );
  }, 120_000);

  test('a question asked while another host still works is not answered by it', async () => {
    // b's second node looks at what a's node makes; it was asked about while that ran.
    const rig = new Rig(['a', 'b'], { values: { first: '1' } });
    let looked = 0;
    const cluster = kvLike({
      probe: () => {
        looked++;
        return sh`joined`;
      },
    });
    const hosts = new Map<string, MemoryHost>();
    const commands = { joined: () => output(0, `${hosts.get('a')!.get('joined') ?? 'no'}\n`) };
    for (const name of ['a', 'b']) hosts.set(name, new MemoryHost(name, { values: { first: '1' }, commands }));
    const machines = new Map([...hosts].map(([name, one]) => [name, new MemoryMachine(one)]));
    const join = on(a, kv({ key: 'joined', value: 'yes', also: 'sleep 0.02' }), { name: 'join' });
    const first = on(b, kv({ key: 'first', value: '1' }), { name: 'first' });
    const see = on(b, cluster({ key: 'see', value: 'yes' }), { name: 'see' });
    const extra: Link = {
      from: join.entryNodes[0]!.key,
      to: see.entryNodes[0]!.key,
      how: 'spread',
      on: see.entryNodes[0]!.hosts,
    };
    const plan = parallel(join, sequence(first, see));
    const result = await rig.run({ ...plan, links: [...plan.links, extra] }, { machines });
    expect(result.counts).toEqual({ changed: 1, satisfied: 2 });
    expect(looked).toBeGreaterThan(0);
  });

  test('an answer taken behind a first try is not used after a second one', async () => {
    const rig = new Rig(['a'], { values: { y: 'old', tries: '0' } });
    const flaky = kvLike({
      apply: () => sh`kv add tries 1; kv get tries; bump`,
      retry: () => ({ attempts: 2, delaySeconds: 0, transient: () => true }),
    });
    const commands = {
      // The first try leaves y as the next step wants it and fails; the second puts it wrong and succeeds.
      bump: (_: readonly string[], at: MemoryHost) => {
        const first = at.get('tries') === '1';
        at.set('y', first ? 'good' : 'bad');
        if (!first) at.set('x', '1');
        return output(first ? 1 : 0);
      },
    };
    const one = new MemoryHost('a', { values: { y: 'old', tries: '0' }, commands });
    const machines = new Map([['a', new MemoryMachine(one)]]);
    const plan = sequence(
      on(a, flaky({ key: 'x', value: '1' }), { name: 'x' }),
      on(a, kv({ key: 'y', value: 'good' }), { name: 'y' }),
    );
    expect((await rig.run(plan, { machines })).counts).toEqual({ changed: 2 });
    expect(one.get('y')).toBe('good');
  });
});

function rawNumber(n: number) {
  return { script: String(n) };
}
