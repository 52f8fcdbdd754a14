import { describe, expect, test } from 'vitest';
import { causes, eventually, host, kv, kvLike, Manual, Rig, task } from '../../test/rig/engine.ts';
import { output } from '../model/host.ts';
import { sh } from '../model/script.ts';
import { on, parallel, sequence } from '../plan/combinators.ts';
import { defineStep } from '../plan/step.ts';

const a = host('a');
const b = host('b');
const named = (name: string) => ({ name });
const set = (at: typeof a | readonly (typeof a)[], key: string, value = '1') => on(at, kv({ key, value }), named(key));
const fails = kvLike({ apply: (_host, want) => sh`kv set ${want.key} broken; fail 5 no ${want.key}` });
const failing = (at: typeof a | readonly (typeof a)[], key: string) => on(at, fails({ key, value: '1' }), named(key));
const say = defineStep<object>()({
  kind: 'say',
  description: 'leaves nothing to undo',
  title: () => 'say',
  nature: 'action',
  apply: () => sh`echo hello`,
  example: {},
});
/** Fails on hosts that have the key `weak`. */
const weak = kvLike({ apply: (_host, want) => sh`kv has weak && fail 6 too weak; kv set ${want.key} ${want.value}` });

describe('a step fails', () => {
  test('what undoing it leaves is reported typed, whatever it prints; a word means nothing', async () => {
    const rig = new Rig(['a']);
    const leaves = kvLike({
      revert: () => sh`echo 'x stays: printed'; echo 'y stays: printed' >&2; kx_report left 'z is in use'`,
    });
    const plan = sequence(on(a, leaves({ key: 'one', value: '1' }), named('one')), failing(a, 'two'));
    await rig.run(task('m/app', plan));
    expect(rig.outcomes()).toMatchObject({ 'm/app/one@a': 'reverted', 'm/app/two@a': 'failed' });
    expect(rig.of('message')).toEqual([]);
    expect(rig.of('node-report')).toMatchObject([
      { node: 'm/app/one@a', host: 'a', report: { type: 'left', text: 'z is in use' } },
    ]);
  });

  test('its task is undone on that host, last change first; other tasks and other hosts keep their work', async () => {
    const rig = new Rig(['a', 'b'], { values: { one: 'was' } });
    rig.host('a').set('weak', 'yes');
    const both = [a, b];
    const plan = sequence(
      task('m/base', set(both, 'base')),
      task(
        'm/app',
        sequence(
          set(both, 'one'),
          on(both, say({}), named('say')),
          set(both, 'two'),
          on(both, weak({ key: 'three', value: '1' }), named('three')),
          set(both, 'four'),
        ),
      ),
      task('m/after', set(both, 'after')),
    );
    const result = await rig.run(plan);
    expect(result.outcome).toBe('failed');
    expect(causes(result)).toEqual(['KX4002 m/app/three@a']);
    expect(rig.host('a').state.values).toEqual({ weak: 'yes', base: '1', one: 'was' });
    expect(rig.host('b').state.values).toEqual({ base: '1', one: '1', two: '1', three: '1', four: '1', after: '1' });
    expect(rig.outcomes()).toMatchObject({
      'm/base/base@a': 'changed',
      'm/app/one@a': 'reverted',
      'm/app/two@a': 'reverted',
      'm/app/three@a': 'failed',
      'm/app/four@a': 'skipped',
      'm/after/after@a': 'skipped',
      'm/after/after@b': 'changed',
    });
    expect(result.counts).toEqual({ changed: 7, ran: 2, reverted: 2, failed: 1, skipped: 2 });
    expect(rig.of('rollback-started')).toMatchObject([
      { task: 'm/app', host: 'a', nodes: ['m/app/three@a', 'm/app/two@a', 'm/app/one@a'] },
    ]);
    const reverts = rig.journal.records.filter(({ phase }) => phase === 'reverted').map(({ node }) => node);
    expect(reverts).toEqual(['m/app/three@a', 'm/app/two@a', 'm/app/one@a']);
  });

  test('the undoing waits for siblings that are still at work, and undoes them too', async () => {
    const rig = new Rig(['a']);
    const slow = kvLike({ job: true, apply: (_host, want) => sh`hold slow; kv set ${want.key} 1` });
    const late = kvLike({});
    const plan = task(
      'm/t',
      parallel(
        failing(a, 'bad'),
        on(a, slow({ key: 'slow', value: '1' }), named('slow')),
        sequence(
          on(a, slow({ key: 'slow2', value: '1' }), named('slow2')),
          on(a, late({ key: 'never', value: '1' }), named('never')),
        ),
      ),
    );
    const running = rig.run(plan);
    await eventually(() => rig.outcomes()['m/t/bad@a'] === 'failed' && rig.host('a').isHeld('slow'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(rig.of('rollback-started')).toEqual([]);
    rig.host('a').release('slow');
    const result = await running;
    expect(rig.host('a').state.values).toEqual({});
    expect(rig.outcomes()).toEqual({
      'm/t/bad@a': 'failed',
      'm/t/slow@a': 'reverted',
      'm/t/slow2@a': 'reverted',
      'm/t/never@a': 'skipped',
    });
    expect(result.counts).toEqual({ failed: 1, reverted: 2, skipped: 1 });
  });

  test('what of it waits for its turn does not start any more', async () => {
    const rig = new Rig(['a']);
    const plan = task('m/t', parallel(failing(a, 'bad'), set(a, 'x'), set(a, 'y')));
    const result = await rig.run(plan, { limits: { total: 1, perHost: 1 } });
    expect(result.counts).toEqual({ failed: 1, skipped: 2 });
    const several = await new Rig(['a']).run(plan, { limits: { total: 9, perHost: 1 } });
    expect(several.counts).toEqual({ failed: 1, skipped: 2 });
  });

  test('two siblings that fail are two causes and one rollback', async () => {
    const rig = new Rig(['a']);
    const result = await rig.run(task('m/t', sequence(set(a, 'one'), parallel(failing(a, 'x'), failing(a, 'y')))));
    expect(causes(result).toSorted()).toEqual(['KX4002 m/t/x@a', 'KX4002 m/t/y@a']);
    expect(rig.of('rollback-started').length).toBe(1);
    expect(rig.host('a').state.values).toEqual({});
    expect(result.counts).toEqual({ failed: 2, reverted: 1 });
  });

  test('what is independent goes on; a thousand consequences are one cause', async () => {
    const rig = new Rig(['a', 'b']);
    const many = Array.from({ length: 1000 }, (_, i) => set([a, b], `k${i}`));
    const plan = sequence(task('m/t', failing(a, 'bad')), parallel(...many));
    const result = await rig.run(parallel(plan, task('m/other', set(a, 'other'))));
    expect(causes(result)).toEqual(['KX4002 m/t/bad@a']);
    expect(result.counts).toEqual({ failed: 1, skipped: 1000, changed: 1001 });
  });

  test('who needs an undone step does not start, though that step itself had succeeded', async () => {
    const rig = new Rig(['a', 'b']);
    const manual = new Manual();
    const first = on(a, kv({ key: 'one', value: '1' }), named('one'));
    const held = on(a, manual.use({ name: 'held' }), named('held'));
    const user = on(b, kv({ key: 'user', value: first.ref() }), named('user'));
    // The user waits for something else, so that it is not done before the task fails.
    const gate = on(b, manual.use({ name: 'gate' }), named('gate'));
    const plan = parallel(task('m/t', sequence(first, held)), sequence(gate, task('m/u', user)));
    const running = rig.run(plan);
    await manual.until(['held@a', 'gate@b']);
    manual.fail('held@a');
    await eventually(() => rig.outcomes()['m/t/one@a'] === 'reverted');
    manual.go('gate@b');
    await running;
    expect(rig.outcomes()['m/u/user@b']).toBe('skipped');
    expect(rig.host('b').get('user')).toBeUndefined();
  });

  test('a check that fails undoes the task as a change does', async () => {
    const rig = new Rig(['a']);
    const broken = kvLike({
      judge: () => {
        throw new Error('cannot be judged');
      },
    });
    const plan = task('m/t', sequence(set(a, 'one'), on(a, broken({ key: 'y', value: '1' }), named('y'))));
    await rig.run(plan);
    expect(rig.outcomes()).toEqual({ 'm/t/one@a': 'reverted', 'm/t/y@a': 'failed' });
  });

  test('`keep` keeps everything for debugging', async () => {
    const rig = new Rig(['a']);
    const result = await rig.run(task('m/t', sequence(set(a, 'one'), failing(a, 'bad'))), { onFailure: 'keep' });
    expect(rig.host('a').state.values).toEqual({ one: '1', bad: 'broken' });
    expect(rig.of('rollback-started')).toEqual([]);
    expect(result.counts).toEqual({ changed: 1, failed: 1 });
  });

  test('what was satisfied is not undone', async () => {
    const rig = new Rig(['a'], { values: { one: '1' } });
    await rig.run(task('m/t', sequence(set(a, 'one'), failing(a, 'bad'))));
    expect(rig.host('a').get('one')).toBe('1');
    expect(rig.outcomes()['m/t/one@a']).toBe('satisfied');
  });

  test('a custom revert gets what was seen; what cannot be undone is left', async () => {
    const rig = new Rig(['a'], { values: { one: 'was' } });
    const restores = kvLike({
      revert: (_host, want, before) => sh`kv set ${want.key} ${before ?? ''}; kv set note reverted`,
    });
    const stays = kvLike({ irreversible: 'nobody can' });
    const { saves: _s, ...rest } = kv({ key: 'z', value: '1' }).step;
    const bare = defineStep<{ key: string; value: string }>()(rest);
    const plan = task(
      'm/t',
      sequence(
        on(a, restores({ key: 'one', value: '1' }), named('one')),
        on(a, stays({ key: 'two', value: '1' }), named('two')),
        on(a, bare({ key: 'three', value: '1' }), named('three')),
        failing(a, 'bad'),
      ),
    );
    const result = await rig.run(plan);
    expect(rig.host('a').state.values).toEqual({ one: 'was', two: '1', three: '1', note: 'reverted' });
    expect(result.counts).toEqual({ reverted: 1, changed: 2, failed: 1 });
  });

  test('a revert that fails leaves it dirty, says so, and the others are still undone', async () => {
    const rig = new Rig(['a']);
    const stuck = kvLike({ revert: () => sh`fail 2 cannot undo` });
    const plan = task(
      'm/t',
      sequence(set(a, 'one'), on(a, stuck({ key: 'two', value: '1' }), named('two')), failing(a, 'bad')),
    );
    const result = await rig.run(plan);
    expect(causes(result)).toEqual(['KX4002 m/t/bad@a', 'KX4005 m/t/two@a']);
    expect(result.failures[1]!.error.params['reason']).toBe('exit code 2: cannot undo');
    expect(result.counts).toEqual({ reverted: 1, dirty: 1, failed: 1 });
    expect(rig.journal.phases('m/t/two@a')).toEqual(['intent', 'applied', 'done', 'reverting', 'dirty']);
    expect(rig.host('a').state.values).toEqual({ two: '1' });
  });

  test('so does a before-image that is gone, unless nothing was touched', async () => {
    const commands = { kx_restore: () => output(96, '', 'no before-image\n') };
    const touched = new Rig(['a'], { commands });
    expect((await touched.run(task('m/t', failing(a, 'bad')))).counts).toEqual({ dirty: 1 });
    const spared = new Rig(['a'], { commands });
    const early = kvLike({ apply: () => sh`fail 5 no` });
    const result = await spared.run(task('m/t', on(a, early({ key: 'bad', value: '1' }), named('bad'))));
    expect(result.counts).toEqual({ failed: 1 });
    expect(spared.journal.phases('m/t/bad@a').slice(-2)).toEqual(['reverted', 'failed']);
  });

  test('a failed step whose own revert fails is dirty', async () => {
    const rig = new Rig(['a']);
    const both = kvLike({ apply: () => sh`fail 1 no`, revert: () => sh`fail 2 cannot undo` });
    const result = await rig.run(task('m/t', on(a, both({ key: 'x', value: '1' }), named('x'))));
    expect(causes(result)).toEqual(['KX4002 m/t/x@a', 'KX4005 m/t/x@a']);
    expect(result.counts).toEqual({ dirty: 1 });
    expect(rig.outcomes()).toEqual({ 'm/t/x@a': 'dirty' });
  });

  test('a node without a task is undone alone', async () => {
    const rig = new Rig(['a']);
    await rig.run(sequence(set(a, 'one'), failing(a, 'bad')));
    expect(rig.host('a').state.values).toEqual({ one: '1' });
  });

  test('an unexpected error has its stack apart from what people read', async () => {
    const rig = new Rig(['a']);
    const broken = kvLike({
      apply: async (): Promise<undefined> => {
        throw new TypeError('cannot read it');
      },
    });
    const { failures } = await rig.run(on(host('a'), broken({ key: 'x', value: '1' }), { name: 'x' }));
    expect(failures).toMatchObject([{ error: { code: 'KX4002', params: { reason: 'cannot read it' } } }]);
    expect(failures[0]?.error.detail).toBeUndefined();
    expect(failures[0]?.error.stack).toContain('failure.test.ts');
  });
});
