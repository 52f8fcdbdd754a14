import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { causes, host, type Kv, kv, kvLike, local, Rig } from '../../test/rig/engine.ts';
import { runs } from '../../test/rig/thorough.ts';
import { sh } from '../model/script.ts';
import { MASK } from '../model/text/mask.ts';
import { on, parallel, type StepFragment, sequence, until } from '../plan/combinators.ts';
import type { ExecutionFragment } from '../plan/node.ts';
import { member } from '../plan/ref.ts';
import { defineStep } from '../plan/step.ts';

const a = host('a');
const b = host('b');
const x = (value: string) => on(a, kv({ key: 'x', value }), { name: 'x' });

/** What a run changed, and what a dry run says it would: id → diff. */
const changes = (rig: Rig) => {
  const changed = new Set(
    rig.of('node-finished').flatMap((event) => (event.outcome === 'changed' ? [event.node] : [])),
  );
  return Object.fromEntries(
    rig.of('node-started').flatMap(({ node, diff }) => (changed.has(node) ? [[node, diff]] : [])),
  );
};
const predicted = (rig: Rig) =>
  Object.fromEntries(
    rig.of('node-finished').flatMap(({ node, outcome, diff }) => (outcome === 'would-change' ? [[node, diff]] : [])),
  );

describe('again', () => {
  test('the second run changes nothing', async () => {
    const rig = new Rig(['a', 'b']);
    const plan = sequence(
      on([a, b], kv({ key: 'x', value: '1' }), { name: 'x' }),
      on([a, b], kv({ key: 'y', value: '2' }), { name: 'y' }),
    );
    expect((await rig.run(plan)).counts).toEqual({ changed: 4 });
    expect((await rig.run(plan)).counts).toEqual({ satisfied: 4 });
  });

  test('a state without a check is changed every time, in a dry run as in a run', async () => {
    const rig = new Rig(['a']);
    const blind = defineStep<Kv>()({
      kind: 'blind',
      description: 'sets without looking',
      title: () => 'blind',
      apply: (_host, want) => sh`kv set ${want.key} ${want.value}`,
      example: { key: 'a', value: '1' },
    });
    const plan = on(a, blind({ key: 'x', value: '1' }));
    expect((await rig.run(plan, { dryRun: true })).counts).toEqual({ 'would-change': 1 });
    expect((await rig.run(plan)).counts).toEqual({ changed: 1 });
    expect(rig.journal.phases('blind@a')).toEqual(['intent', 'applied', 'done']);
  });
});

/** A chain of keys on some hosts, each with a value of its own or one read from an earlier step. */
const plans = fc.integer({ min: 1, max: 10 }).chain((size) =>
  fc.record({
    hosts: fc.array(fc.constantFrom('a', 'b'), { minLength: size, maxLength: size }),
    from: fc.tuple(
      ...Array.from({ length: size }, (_, i) => fc.option(fc.nat(Math.max(0, i - 1)), { nil: undefined })),
    ),
    right: fc.array(fc.boolean(), { minLength: size, maxLength: size }),
    action: fc.array(fc.constantFrom(false, false, true), { minLength: size, maxLength: size }),
  }),
);

const action = defineStep<{ readonly text: string }>()({
  kind: 'say',
  description: 'leaves nothing',
  title: (want) => want.text,
  nature: 'action',
  apply: (_host, want) => sh`echo ${want.text}`,
  result: (seen) => seen.stdout.trim(),
  example: { text: 'x' },
});

describe('a dry run', () => {
  test('names exactly the nodes that change, with equal differences, and touches nothing', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async ({ hosts, from, right, action: isAction }) => {
        const rig = new Rig(['a', 'b']);
        const made: StepFragment<string>[] = [];
        const stays: boolean[] = [];
        hosts.forEach((name, i) => {
          const source = i === 0 ? undefined : from[i];
          const ref = source === undefined ? undefined : made[source]!.refFrom(host(hosts[source]!));
          const value = ref ?? `value-${i}`;
          // A value from a step that will change is not known beforehand: steps that use it change too.
          stays.push(!isAction[i] && right[i]! && (source === undefined || stays[source]!));
          if (isAction[i]) {
            made.push(on(host(name), action({ text: value }), { name: `n${i}` }));
            return;
          }
          const root = rootValue(i, from);
          rig.host(name).set(`k${i}`, stays[i] ? root : right[i] ? undefined : 'old');
          made.push(on(host(name), kv({ key: `k${i}`, value }), { name: `n${i}` }));
        });
        const before = JSON.stringify([...rig.hosts.values()].map(({ state }) => state));
        const plan = sequence(...made);
        await rig.run(plan, { dryRun: true });
        expect(JSON.stringify([...rig.hosts.values()].map(({ state }) => state))).toBe(before);
        expect([...rig.machines.values()].flatMap(({ sent }) => sent.filter(({ by }) => by !== 'batch'))).toEqual([]);
        const said = predicted(rig);
        const dryActions = rig.of('node-finished').filter(({ outcome }) => outcome === 'would-run').length;
        rig.events = [];
        const result = await rig.run(plan);
        expect(said).toEqual(changes(rig));
        expect(result.counts.ran ?? 0).toBe(dryActions);
        expect(Object.keys(said).length).toBe(stays.filter((stay, i) => !stay && !isAction[i]).length);
        rig.events = [];
        await rig.run(plan, { dryRun: true });
        const usesAction = hosts.map((_, i) => isAction[i] || dependsOnAction(i, from, isAction));
        expect(Object.keys(predicted(rig)).length).toBe(usesAction.filter((uses, i) => uses && !isAction[i]).length);
      }),
      { numRuns: runs(200), verbose: 1 },
    );
  });

  test('asks with the real value where it is known already', async () => {
    const rig = new Rig(['a'], { values: { name: 'k', k: '1' } });
    const name = on(a, kv({ key: 'name', value: 'k' }), { name: 'name' });
    const plan = sequence(name, on(a, kv({ key: name.ref(), value: '1' }), { name: 'use' }));
    expect((await rig.run(plan, { dryRun: true })).counts).toEqual({ satisfied: 2 });
  });

  test('shows a mask for what is not known yet, and the same in the run', async () => {
    const rig = new Rig(['a']);
    const plan = sequence(x('new'), on(a, kv({ key: 'y', value: x('new').ref() }), { name: 'other' }));
    expect(() => rig.options(plan)).toThrow(/not part of the plan/);
    const first = x('new');
    const good = sequence(first, on(a, kv({ key: 'y', value: first.ref() }), { name: 'y' }));
    await rig.run(good, { dryRun: true });
    expect(predicted(rig)['y@a']).toEqual([{ what: 'y', to: '‹x›' }]);
    rig.events = [];
    await rig.run(good);
    expect(changes(rig)['y@a']).toEqual([{ what: 'y', to: '‹x›' }]);
    expect(rig.host('a').get('y')).toBe('new');
  });

  test('names only the step where a mask has not the type that the judge expects', async () => {
    const rig = new Rig(['a']);
    const list = defineStep<{ readonly items: readonly string[] }>()({
      kind: 'list',
      description: 'a list',
      title: (want) => `list of ${want.items.join()}`,
      probe: (want) => sh`kv get ${want.items.join()}`,
      judge: (_seen, want) => ({ verdict: 'needed', seen: undefined, diff: [{ what: want.items.toSorted().join() }] }),
      apply: () => sh`:`,
      example: { items: [] },
    });
    const maker = defineStep<object>()({
      kind: 'maker',
      description: 'gives a list',
      title: () => 'maker',
      nature: 'action',
      apply: async () => ['q'] as readonly string[],
      example: {},
    });
    const made = on(a, maker({}), { name: 'made' });
    await rig.run(sequence(made, on(a, list({ items: made.ref() }), { name: 'list' })), { dryRun: true });
    expect(rig.outcomes()).toEqual({ 'made@a': 'would-run', 'list@a': 'would-change' });
    expect(predicted(rig)['list@a']).toEqual([{ what: 'list' }]);
  });

  test('a step tells what is known without a change, of the hosts of which it is known', async () => {
    const rig = new Rig(['a', 'b']);
    const action = { nature: 'action' as const, apply: () => sh`fail 1 no`, example: {} };
    const known = defineStep<object>()({
      ...action,
      kind: 'known',
      description: 'gives what is known of a host',
      title: () => 'known',
      predict: (at) => at.name,
    });
    const later = defineStep<object>()({
      ...action,
      kind: 'later',
      description: 'is known only when it runs',
      title: () => 'later',
      result: () => 'x',
    });
    const told = defineStep<{ readonly names: object; readonly more: object; readonly one?: string }>()({
      ...action,
      kind: 'told',
      description: 'tells it',
      title: () => 'told',
      predict: (_host, want, io) => io.say(JSON.stringify(want)),
      example: { names: {}, more: {} },
    });
    const [names, more] = [on([a, b], known({}), { name: 'known' }), on([a, b], later({}), { name: 'later' })];
    const wants = { names: names.refs(), more: more.refs() };
    const plan = sequence(
      parallel(names, more),
      on(local, told(wants), { name: 'told' }),
      on(local, told({ ...wants, one: more.refFrom(a) }), { name: 'untold' }),
    );
    const result = await rig.run(plan, { dryRun: true });
    expect(rig.of('message')).toMatchObject([{ node: 'told@local', text: '{"names":{"a":"a","b":"b"},"more":{}}' }]);
    expect(result).toMatchObject({ outcome: 'succeeded', counts: { 'would-run': 6 } });
    const broken = defineStep<object>()({
      ...action,
      kind: 'broken',
      description: 'cannot tell',
      title: () => 'broken',
      predict: () => {
        throw new Error('nothing to tell');
      },
    });
    expect((await rig.run(on(a, broken({}), { name: 'x' }), { dryRun: true })).outcome).toBe('failed');
  });

  test('a check that fails is reported, and nothing is rolled back', async () => {
    const rig = new Rig(['a']);
    const broken = kvLike({
      judge: () => {
        throw new Error('cannot be judged');
      },
    });
    const result = await rig.run(on(a, broken({ key: 'y', value: '1' }), { name: 'y' }), { dryRun: true });
    expect(causes(result)).toEqual(['KX4002 y@a']);
    expect(rig.of('rollback-started')).toEqual([]);
  });
});

/** The value that comes out of a chain of Refs. */
function rootValue(i: number, from: readonly (number | undefined)[]): string {
  const source = i === 0 ? undefined : from[i];
  return source === undefined ? `value-${i}` : rootValue(source, from);
}

function dependsOnAction(i: number, from: readonly (number | undefined)[], isAction: readonly boolean[]): boolean {
  const source = i === 0 ? undefined : from[i];
  return source !== undefined && (isAction[source]! || dependsOnAction(source, from, isAction));
}

describe('until', () => {
  const gate = (value = 'up') => on(a, kv({ key: 'gate', value }), { name: 'gate' });
  const inner = () => sequence(x('1'), on([a, b], kv({ key: 'y', value: '1' }), { name: 'y' }));

  test('a gate that holds supersedes: neither asked about nor changed', async () => {
    const rig = new Rig(['a', 'b'], { values: { gate: 'up' } });
    expect((await rig.run(until(gate(), inner()))).counts).toEqual({ satisfied: 1, superseded: 3 });
    expect(rig.machine('a').sent.map(({ script }) => script)).toEqual(['kv get gate']);
    expect(rig.machine('b').sent).toEqual([]);
    expect(rig.journal.phases('y@b')).toEqual(['superseded']);
  });

  test('a gate that does not hold is not changed, and what it guards is', async () => {
    const rig = new Rig(['a', 'b']);
    expect((await rig.run(until(gate(), inner()))).counts).toEqual({ ran: 1, changed: 3 });
    expect(rig.host('a').get('gate')).toBeUndefined();
  });

  test('in a dry run it is the same, and each host of a gate on several decides for itself', async () => {
    const rig = new Rig(['a', 'b']);
    rig.host('b').set('gate', 'up');
    const gates = on([a, b], kv({ key: 'gate', value: 'up' }), { name: 'gate' });
    await rig.run(until(gates, on([a, b], kv({ key: 'y', value: '1' }), { name: 'y' })), { dryRun: true });
    expect(rig.outcomes()).toEqual({
      'gate@a': 'ran',
      'gate@b': 'satisfied',
      'y@a': 'would-change',
      'y@b': 'superseded',
    });
  });
});

describe('minting', () => {
  const token = (options: { readonly fails?: boolean } = {}) =>
    defineStep<object>()({
      kind: 'token',
      description: 'a short-lived secret',
      title: () => 'token',
      nature: 'mint',
      apply: () =>
        options.fails ? sh`kv add minted 1; fail 3 no token today` : sh`kv add minted 1; echo s3cr3t-token`,
      result: (seen) => ({ token: seen.stdout.trim() }),
      example: {},
    });
  const joins = kvLike({
    apply: (_host, want) => sh`kv set ${want.key} done; kv set last ${want.value}`,
    judge: (seen, want) =>
      seen.code === 0
        ? { verdict: 'satisfied', output: 'in' }
        : { verdict: 'needed', seen: undefined, diff: [{ what: want.key, to: want.value }] },
    revert: (_host, want) => sh`kv del ${want.key}`,
  });
  const plan = (step = token()): ExecutionFragment => {
    const mint = on(local, step({}), { name: 'token' });
    return sequence(mint, on([a, b], joins({ key: 'joined', value: tokenOf(mint) }), { name: 'join' }));
  };

  test('a secret is made once for all, only when one needs it, and is never written down', async () => {
    const rig = new Rig(['a', 'b']);
    expect((await rig.run(plan())).counts).toEqual({ changed: 2, ran: 1 });
    expect(rig.host('local').get('minted')).toBe('1');
    expect(rig.host('a').get('last')).toBe('s3cr3t-token');
    expect(rig.redacted).toEqual(['s3cr3t-token']);
    expect(JSON.stringify(rig.events)).not.toContain('s3cr3t');
    expect(JSON.stringify(rig.journal.records)).not.toContain('s3cr3t');
    expect(JSON.stringify(rig.of('node-started').map(({ diff }) => diff))).toContain(MASK);
    rig.events = [];
    expect((await rig.run(plan())).counts).toEqual({ satisfied: 2 });
    expect(rig.host('local').get('minted')).toBe('1');
  });

  test('a dry run makes none', async () => {
    const rig = new Rig(['a', 'b']);
    expect((await rig.run(plan(), { dryRun: true })).counts).toEqual({ 'would-change': 2 });
    expect(rig.host('local').get('minted')).toBeUndefined();
  });

  test('one that cannot be made is reported once, for all who needed it', async () => {
    const rig = new Rig(['a', 'b']);
    const result = await rig.run(plan(token({ fails: true })));
    expect(causes(result)).toEqual(['KX4002 token@local']);
    expect(result.failures[0]!.error.params['reason']).toBe('exit code 3: no token today');
    expect(rig.outcomes()).toEqual({ 'token@local': 'failed', 'join@a': 'failed', 'join@b': 'failed' });
    expect(rig.host('local').get('minted')).toBe('1');
  });

  test('one whose host is gone fails nobody: who needs it is skipped', async () => {
    const rig = new Rig(['a', 'b', 'c']);
    const mint = on(host('c'), token()({}), { name: 'token' });
    rig.machine('c').lose('minted');
    const result = await rig.run(
      sequence(mint, on([a, b], joins({ key: 'joined', value: tokenOf(mint) }), { name: 'join' })),
    );
    expect(result).toMatchObject({ outcome: 'partial', failures: [], lostHosts: ['c'] });
    expect(rig.outcomes()).toEqual({ 'token@c': 'unknown', 'join@a': 'skipped', 'join@b': 'skipped' });
  });
});

function tokenOf(mint: StepFragment<{ readonly token: string }>) {
  return member(mint.ref(), 'token');
}
