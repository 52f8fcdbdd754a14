import fc from 'fast-check';
import { expect, test } from 'vitest';
import { host, type Kv, kvDefinition, Rig, seeded, task } from '../../test/rig/engine.ts';
import { MemoryMachine } from '../../test/rig/memory/memory.ts';
import { runs } from '../../test/rig/thorough.ts';
import { sh } from '../model/script.ts';
import { on, parallel, type StepFragment } from '../plan/combinators.ts';
import type { ExecutionFragment, Link } from '../plan/node.ts';
import { defineStep, type StepDefinition } from '../plan/step.ts';

const HOSTS = ['a', 'b', 'c'];
const KINDS = ['script', 'revert', 'job', 'once', 'work'] as const;
const FAULTS = [
  ...['none', 'none', 'none', 'none', 'none', 'none', 'fails', 'fails'],
  ...['cut before', 'cut during', 'cut after', 'lost before', 'lost after'],
] as const;

/** Fails as long as its host is sick of it. Must not be done when it is there: that would be noted. */
const applied = (want: Kv) =>
  sh`kv has made.${{ script: want.key }} && kv set ${want.key}.twice yes
kv set ${want.key} partly
kv has sick.${{ script: want.key }} && fail 9 sick
kv set ${want.key} ${want.value}
kv set made.${{ script: want.key }} 1`;
const back = (want: Kv, before: string | undefined) =>
  before === undefined
    ? sh`kv del ${want.key}; kv del made.${{ script: want.key }}`
    : sh`kv set ${want.key} ${before}; kv del made.${{ script: want.key }}`;

const plain: StepDefinition<Kv, string | undefined, string> = {
  ...kvDefinition,
  apply: (_host, want) => applied(want),
  saves: (want) => [want.key, `made.${want.key}`],
};
const { saves: _saves, ...withoutImage } = plain;
const steps = {
  script: defineStep<Kv>()(plain),
  revert: defineStep<Kv>()({ ...withoutImage, revert: (_host, want, before) => back(want, before) }),
  job: defineStep<Kv>()({ ...plain, job: true }),
  once: defineStep<Kv>()({ ...withoutImage, once: true, revert: (_host, want, before) => back(want, before) }),
  work: defineStep<Kv>()({
    ...plain,
    apply: async (at, want): Promise<undefined> => {
      const { code } = await at.run(applied(want));
      if (code !== 0) throw new Error('sick');
    },
  }),
};

const cases = fc.integer({ min: 1, max: 16 }).chain((size) => {
  const each = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: size, maxLength: size });
  return fc.record({
    hosts: each(fc.constantFrom(...HOSTS)),
    kinds: each(fc.constantFrom(...KINDS)),
    faults: each(fc.constantFrom(...FAULTS)),
    tasks: each(fc.nat(3)),
    initial: each(fc.constantFrom('old', 'absent', 'right')),
    before: fc.tuple(
      ...Array.from({ length: size }, (_, i) =>
        i === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat(i - 1), { maxLength: 2 }),
      ),
    ),
    limits: fc.record({ total: fc.integer({ min: 1, max: 5 }), perHost: fc.integer({ min: 1, max: 3 }) }),
    seed: fc.nat(),
  });
});

test('whatever fails, breaks or vanishes: all is settled once, failed tasks are as they were, and a resume makes it right', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ hosts, kinds, faults, tasks, initial, before, limits, seed }) => {
      const random = seeded(seed);
      const rig = new Rig(HOSTS, { latencyMs: () => Math.floor(random() * 3) });
      hosts.forEach((name, i) => {
        const at = rig.host(name);
        if (initial[i] !== 'absent') at.set(`k${i}`, initial[i] === 'old' ? 'old' : 'v');
        if (initial[i] === 'right') at.set(`made.k${i}`, '1');
        const [kind, when] = (faults[i] ?? '').split(' ') as [string, 'before' | 'during' | 'after'];
        if (kind === 'fails') at.set(`sick.k${i}`, 'yes');
        if (kind === 'cut') rig.machine(name).cut(`kv set k${i} partly`, when);
        if (kind === 'lost') rig.machine(name).lose(`kv set k${i} partly`, when);
      });
      const nodes = hosts.map((name, i) =>
        on(host(name), steps[kinds[i]!]({ key: `k${i}`, value: 'v' }), { name: `n${i}` }),
      );
      const plan = () => planOf(nodes, tasks, before);
      const result = await rig.run(plan(), { limits });

      const outcomes = rig.outcomes();
      const outcome = (i: number) => outcomes[`t/${tasks[i]}/n${i}@${hosts[i]}`];
      expect(Object.keys(outcomes).length).toBe(hosts.length);
      expect(Object.values(result.counts).reduce((sum, n) => sum + n, 0)).toBe(hosts.length);
      expect(result.counts.dirty).toBeUndefined();
      expect(result.lostHosts.toSorted()).toEqual(
        [...new Set(rig.of('host-lost').map((event) => event.host))].toSorted(),
      );
      hosts.forEach((name, i) => {
        const now = rig.host(name).get(`k${i}`);
        const start = initial[i] === 'absent' ? undefined : initial[i] === 'old' ? 'old' : 'v';
        if (outcome(i) === 'reverted') expect(now).toBe(start);
        if (outcome(i) === 'failed' && !result.lostHosts.includes(name)) expect(now).toBe(start);
        if (outcome(i) === 'changed' || outcome(i) === 'satisfied') expect(now).toBe('v');
        if (outcome(i) === 'skipped') expect(now).toBe(start);
        // What stands on it has not gone on without it.
        for (const k of before[i]!) {
          if (outcome(i) === 'changed') expect(['changed', 'satisfied', 'reverted']).toContain(outcome(k));
        }
        // Of a failed task nothing is left on that host.
        const broken = hosts.some((other, k) => other === name && tasks[k] === tasks[i] && outcome(k) === 'failed');
        if (broken && !result.lostHosts.includes(name)) expect(outcome(i)).not.toBe('changed');
      });

      // Everything is repaired, and an hour later somebody resumes.
      for (const one of rig.hosts.values())
        for (const key of Object.keys(one.state.values)) if (key.startsWith('sick.')) one.set(key, undefined);
      await new Promise((resolve) => setTimeout(resolve, 2));
      const replay = rig.died();
      for (const [name, one] of rig.hosts)
        rig.machines.set(name, new MemoryMachine(one, { latencyMs: () => Math.floor(random() * 3) }));
      const resumed = await rig.run(plan(), { replay, limits });
      expect(resumed.outcome).toBe('succeeded');
      hosts.forEach((name, i) => {
        expect(rig.host(name).get(`k${i}`)).toBe('v');
        if (kinds[i] === 'once') expect(rig.host(name).get(`k${i}.twice`)).toBeUndefined();
      });
      expect((await rig.run(plan())).counts).toEqual({ satisfied: hosts.length });
    }),
    { numRuns: runs(200), verbose: 1 },
  );
}, 180_000);

function planOf(
  nodes: readonly StepFragment<string>[],
  tasks: readonly number[],
  before: readonly (readonly number[])[],
): ExecutionFragment {
  const links = before.flatMap((previous, i) =>
    previous.map((k): Link => {
      const to = nodes[i]!.entryNodes[0]!;
      return { from: nodes[k]!.entryNodes[0]!.key, to: to.key, how: 'spread', on: to.hosts };
    }),
  );
  const parts = [0, 1, 2, 3].map((t) => task(`t/${t}`, parallel(...nodes.filter((_, i) => tasks[i] === t))));
  const all = parallel(...parts);
  return { ...all, links: [...all.links, ...links] };
}
