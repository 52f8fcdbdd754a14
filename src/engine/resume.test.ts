import { describe, expect, test, vi } from 'vitest';
import type { Kv } from '../../test/rig/engine.ts';
import { eventually, host, kv, kvDefinition, kvLike, Rig, task } from '../../test/rig/engine.ts';
import { sh } from '../model/script.ts';
import { on, parallel, sequence, until } from '../plan/combinators.ts';
import { defineStep, type StepDefinition } from '../plan/step.ts';
import { jobKey } from './keys.ts';
import type { Phase } from './record.ts';

const a = host('a');
const named = (name: string) => ({ name });
const set = (key: string, value = '1') => on(a, kv({ key, value }), named(key));
const ended = (rig: Rig) =>
  eventually(() => !Object.keys(rig.host('a').state.jobs).some((key) => rig.host('a').isRunning(key)));
const { saves: _, ...withoutImage } = kvDefinition;
const jobLike = (change: Partial<StepDefinition<Kv, string | undefined, string>> = {}) =>
  defineStep<Kv>()({
    ...withoutImage,
    once: true,
    apply: (_host, want) => sh`kv add tries 1; hold ${want.key}; kv set ${want.key} ${want.value}`,
    ...change,
  });

/** Runs until the job of `x` is there, then dies. */
async function dieWithJob(rig: Rig, plan: ReturnType<typeof task>, job = 'x'): Promise<void> {
  const { stop } = rig;
  const dying = rig.run(plan);
  await vi.waitFor(() => expect(rig.host('a').isHeld(job)).toBe(true));
  // What a dead process would have noted is taken now; the rest of this run is none of our business.
  const records = rig.journal.records.slice();
  stop.abort();
  await dying;
  rig.journal.records.splice(0, Number.POSITIVE_INFINITY, ...records);
}

const alive = { stop: new AbortController().signal };

describe('jobs of a dead kubexm', () => {
  const plan = () => task('m/t', on(a, jobLike()({ key: 'x', value: '1' }), named('x')));

  test('one that still runs is attached to', async () => {
    const rig = new Rig(['a']);
    await dieWithJob(rig, plan());
    const replay = rig.died();
    const running = rig.run(plan(), { replay, ...alive });
    await eventually(() => rig.of('node-attached').length === 1);
    expect(rig.of('node-attached').map(({ node }) => node)).toEqual(['m/t/x@a']);
    rig.host('a').release('x');
    expect((await running).counts).toEqual({ changed: 1 });
    expect(rig.host('a').get('tries')).toBe('1');
    expect(rig.host('a').state.jobs).toEqual({});
    expect(rig.journal.phases('m/t/x@a')).toEqual(['intent', 'applied', 'done']);
  });

  test('one that ended well meanwhile has its result taken', async () => {
    const rig = new Rig(['a']);
    await dieWithJob(rig, plan());
    rig.host('a').release('x');
    await ended(rig);
    const result = await rig.run(plan(), { replay: rig.died(), ...alive });
    expect(result.counts).toEqual({ changed: 1 });
    expect(rig.host('a').get('tries')).toBe('1');
  });

  test.each([true, false])(
    'one that failed meanwhile is reported and retried, like every failed step (repaired: %s)',
    async (repaired) => {
      const rig = new Rig(['a']);
      const fails = jobLike({
        apply: (_host, want) =>
          sh`kv add tries 1; hold x; kv has repaired || fail 3 out of memory; kv set ${want.key} 1`,
        revert: () => sh`kv del x`,
      });
      const two = () => task('m/t', sequence(set('one'), on(a, fails({ key: 'x', value: '1' }), named('x'))));
      await dieWithJob(rig, two());
      rig.host('a').release('x');
      await ended(rig);
      if (repaired) rig.host('a').set('repaired', 'yes');
      const result = await rig.run(two(), { replay: rig.died(), ...alive });
      expect(rig.of('warning').map(({ error }) => error)).toMatchObject([
        { code: 'KX4002', params: { node: 'm/t/x@a', reason: 'exit code 3: out of memory' } },
      ]);
      expect(rig.host('a').get('tries')).toBe('2');
      expect(rig.host('a').state.jobs).toEqual({});
      expect(result.counts).toEqual(repaired ? { satisfied: 1, changed: 1 } : { reverted: 1, failed: 1 });
      expect(rig.host('a').get('one')).toBe(repaired ? '1' : undefined);
    },
  );

  test('one that a reboot killed is forgotten, and the machine looked at', async () => {
    const rig = new Rig(['a']);
    await dieWithJob(rig, plan());
    const key = jobKey('r1', 'm/t/x@a', 1);
    rig.host('a').killJob(key);
    rig.host('a').release('x');
    const result = await rig.run(plan(), { replay: rig.died(), ...alive });
    expect(result.counts).toEqual({ changed: 1 });
    expect(rig.host('a').get('tries')).toBe('2');
    expect(rig.host('a').state.jobs).toEqual({});
  });

  test('one on a host that was lost is found when the host is back', async () => {
    const rig = new Rig(['a', 'b']);
    const both = () => parallel(plan(), on(host('b'), kv({ key: 'y', value: '1' }), named('y')));
    const dying = rig.run(both());
    await vi.waitFor(() => expect(rig.host('a').isHeld('x')).toBe(true));
    rig.machine('a').lose();
    expect(await dying).toMatchObject({ outcome: 'partial', counts: { unknown: 1, changed: 1 } });
    rig.host('a').release('x');
    const result = await rig.run(both(), { replay: rig.died() });
    expect(result).toMatchObject({ outcome: 'succeeded', counts: { changed: 1, satisfied: 1 } });
    expect(rig.host('a').get('tries')).toBe('1');
  });

  test('the name of a job is never used again, so no old result is taken for a new one', async () => {
    const rig = new Rig(['a']);
    const { journal } = rig;
    // An earlier process did it, died before it forgot the job, and a later one undid it.
    journal.append({ node: 'm/t/x@a', phase: 'intent', attempt: 1 });
    journal.append({ node: 'm/t/x@a', phase: 'applied', attempt: 1 });
    journal.append({ node: 'm/t/x@a', phase: 'done' });
    journal.append({ node: 'm/t/x@a', phase: 'reverting' });
    journal.append({ node: 'm/t/x@a', phase: 'reverted' });
    rig.host('a').startJob(jobKey('r1', 'm/t/x@a', 1), 'echo old');
    rig.host('a').release('x');
    await ended(rig);
    expect((await rig.run(plan(), { replay: rig.died() })).counts).toEqual({ changed: 1 });
    expect(rig.host('a').get('tries')).toBe('1');
    expect(journal.records.at(-3)).toMatchObject({ phase: 'intent', attempt: 2 });
  });

  test('a second try that was under way is the one that is looked for', async () => {
    const rig = new Rig(['a']);
    rig.journal.append({ node: 'm/t/x@a', phase: 'intent', attempt: 1 });
    rig.journal.append({ node: 'm/t/x@a', phase: 'intent', attempt: 2 });
    rig.journal.append({ node: 'm/t/x@a', phase: 'applied', attempt: 2 });
    rig.host('a').startJob(jobKey('r1', 'm/t/x@a', 2), 'kv set x 1');
    await ended(rig);
    expect((await rig.run(plan(), { replay: rig.died() })).counts).toEqual({ changed: 1 });
    expect(rig.host('a').get('tries')).toBeUndefined();
  });

  test('one that a gate would supersede is waited for all the same: what it makes may only look finished', async () => {
    const rig = new Rig(['a']);
    const gated = () => until(on(a, kv({ key: 'gate', value: 'up' }), named('gate')), plan());
    await dieWithJob(rig, gated());
    rig.host('a').set('gate', 'up');
    const running = rig.run(gated(), { replay: rig.died(), ...alive });
    await eventually(() => rig.of('node-attached').length === 1);
    expect(rig.of('node-attached').length).toBe(1);
    rig.host('a').release('x');
    expect((await running).counts).toEqual({ satisfied: 1, changed: 1 });
    // With no job left, the gate decides.
    const replay = rig.died();
    expect((await rig.run(gated(), { replay, ...alive })).counts).toEqual({ satisfied: 1, superseded: 1 });
    const gone = { ...replay, open: new Map([['m/t/x@a', 1]]) };
    expect((await rig.run(gated(), { replay: gone, ...alive })).counts).toEqual({ satisfied: 1, superseded: 1 });
  });

  test('under tags, a step that is only checked takes no result: the machine says whether it is done', async () => {
    const rig = new Rig(['a']);
    const made = on(a, jobLike()({ key: 'x', value: '1' }), { name: 'x', tags: ['made'] });
    const plan = () =>
      sequence(task('m/t', made), on(a, kv({ key: 'y', value: made.ref() }), { name: 'y', tags: ['y'] }));
    await dieWithJob(rig, plan());
    rig.host('a').release('x');
    await ended(rig);
    const selection = { tags: ['y'], skipTags: [] };
    const result = await rig.run(plan(), { replay: rig.died(), selection, ...alive });
    expect(result.counts).toEqual({ satisfied: 1, changed: 1 });
  });

  test('under tags, a job of a step that is left out is left alone', async () => {
    const rig = new Rig(['a']);
    await dieWithJob(rig, plan());
    const result = await rig.run(plan(), {
      replay: rig.died(),
      selection: { tags: ['other'], skipTags: [] },
      ...alive,
    });
    expect(result.counts).toEqual({});
    rig.host('a').release('x');
  });
});

describe('what earlier processes changed', () => {
  const bad = kvLike({ apply: () => sh`fail 1 no` });
  const plan = () =>
    task('m/t', sequence(set('one'), set('two'), on(a, bad({ key: 'three', value: '1' }), named('three'))));
  const done = (rig: Rig, node: string, before?: string) => {
    rig.journal.append({ node, phase: 'intent', attempt: 1, ...(before === undefined ? {} : { before }) });
    rig.journal.append({ node, phase: 'done' });
  };

  test('is undone with its task when that fails after the resume, though it is satisfied now', async () => {
    const rig = new Rig(['a'], { values: { one: 'was' } });
    const half = () => task('m/t', sequence(set('one'), set('two')));
    await rig.run(half());
    expect(rig.host('a').state.values).toEqual({ one: '1', two: '1' });
    const result = await rig.run(plan(), { replay: rig.died() });
    expect(result.counts).toEqual({ reverted: 2, failed: 1 });
    expect(rig.host('a').state.values).toEqual({ one: 'was' });
    expect(rig.of('rollback-started')[0]!.nodes).toEqual(['m/t/three@a', 'm/t/two@a', 'm/t/one@a']);
  });

  test('is put back to what was seen first, not to what a crash left', async () => {
    const rig = new Rig(['a'], { values: { x: 'crashed half way' } });
    const restores = kvLike({ revert: (_host, want, before) => sh`kv set ${want.key} ${before ?? ''}` });
    rig.journal.append({ node: 'm/t/x@a', phase: 'intent', attempt: 1, before: 'first' });
    const both = task(
      'm/t',
      sequence(on(a, restores({ key: 'x', value: '1' }), named('x')), on(a, bad({ key: 'y', value: '1' }), named('y'))),
    );
    await rig.run(both, { replay: rig.died() });
    expect(rig.host('a').get('x')).toBe('first');
    // Where there was nothing, there is nothing again.
    const none = new Rig(['a'], { values: { x: 'crashed half way' } });
    none.journal.append({ node: 'm/t/x@a', phase: 'intent', attempt: 1 });
    await none.run(both, { replay: none.died() });
    expect(none.host('a').get('x')).toBe('');
  });

  test('but was not met again comes first, since it may stand on what was', async () => {
    const rig = new Rig(['a'], { values: { two: '1', three: '1' } });
    for (const node of ['m/t/two@a', 'm/t/three@a']) done(rig, node);
    const order: string[] = [];
    const noting = (key: string, fails = false) =>
      on(
        a,
        kvLike({
          ...(fails ? { apply: () => sh`fail 1 no` } : {}),
          revert: () => {
            order.push(key);
            return sh`:`;
          },
        })({ key, value: '1' }),
        named(key),
      );
    // The first has drifted since; done again it fails, before the others are looked at.
    await rig.run(task('m/t', sequence(noting('zero'), noting('one', true), noting('two'), noting('three'))), {
      replay: rig.died(),
    });
    expect(order).toEqual(['three', 'two', 'one', 'zero']);
    expect(rig.outcomes()).toEqual({
      'm/t/zero@a': 'reverted',
      'm/t/one@a': 'failed',
      'm/t/two@a': 'reverted',
      'm/t/three@a': 'reverted',
    });
  });

  test.each<[string, readonly Phase[], string | undefined, Record<string, number>]>([
    ['killed before it began', ['intent'], undefined, { failed: 1, reverted: 1, skipped: 1 }],
    ['killed so, twice', ['intent', 'unknown', 'intent'], undefined, { failed: 1, reverted: 1, skipped: 1 }],
    ['changed, but the before-image is gone', ['intent', 'applied'], undefined, { failed: 1, reverted: 1, dirty: 1 }],
    ['found as wanted, but there is no before-image', ['intent'], '1', { failed: 1, reverted: 1, dirty: 1 }],
  ])('is nothing where nothing was changed: %s', async (_, phases, value, counts) => {
    const rig = new Rig(['a'], value === undefined ? {} : { values: { one: value } });
    for (const phase of phases) rig.journal.append({ node: 'm/t/one@a', phase, attempt: 1 });
    const other = task('m/t', sequence(set('zero'), on(a, bad({ key: 'y', value: '1' }), named('y')), set('one')));
    const result = await rig.run(other, { replay: rig.died() });
    expect(result.counts).toEqual(counts);
    expect(result.failures.map(({ error }) => error.code)).toEqual(counts['dirty'] ? ['KX4002', 'KX4005'] : ['KX4002']);
    expect(rig.journal.replay().applied.has('m/t/one@a')).toBe(counts['dirty'] === 1);
  });

  test('belongs to a finished task: it stays when another task fails', async () => {
    const rig = new Rig(['a']);
    const first = () => task('m/first', set('one'));
    await rig.run(first());
    await rig.run(sequence(first(), task('m/t', on(a, bad({ key: 'y', value: '1' }), named('y')))), {
      replay: rig.died(),
    });
    expect(rig.host('a').get('one')).toBe('1');
    expect(rig.outcomes()['m/first/one@a']).toBe('satisfied');
  });

  test('was reverted already: it is not reverted again', async () => {
    const rig = new Rig(['a'], { values: { one: 'hand-made' } });
    done(rig, 'm/t/one@a');
    rig.journal.append({ node: 'm/t/one@a', phase: 'reverted' });
    const other = task('m/t', sequence(set('zero'), on(a, bad({ key: 'y', value: '1' }), named('y')), set('one')));
    await rig.run(other, { replay: rig.died() });
    expect(rig.host('a').state.values).toEqual({ one: 'hand-made' });
  });
});

describe('whatever the last word on a node was', () => {
  const last: readonly Phase[] = [
    'intent',
    'applied',
    'done',
    'failed',
    'skipped',
    'unknown',
    'reverting',
    'reverted',
    'dirty',
    'satisfied',
    'superseded',
    'ran',
  ];

  test.each(last)('%s: it is looked at, and changed if need be', async (phase) => {
    for (const there of [false, true]) {
      const rig = new Rig(['a'], there ? { values: { x: '1' } } : {});
      rig.journal.append({ node: 'm/t/x@a', phase: 'intent', attempt: 3 });
      if (phase !== 'intent') rig.journal.append({ node: 'm/t/x@a', phase });
      const result = await rig.run(task('m/t', set('x')), { replay: rig.died() });
      expect(result.counts).toEqual(there ? { satisfied: 1 } : { changed: 1 });
      expect(rig.host('a').get('x')).toBe('1');
      if (!there)
        expect(rig.journal.records.find((record) => 'attempt' in record && record.attempt === 4)).toBeDefined();
    }
  });
});
