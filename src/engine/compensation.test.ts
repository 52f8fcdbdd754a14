import { describe, expect, test, vi } from 'vitest';
import { causes, host, kv, kvLike, local, Manual, Rig, task } from '../../test/rig/engine.ts';
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

describe('compensation', () => {
  const undo = (at: typeof a | readonly (typeof a)[]) =>
    sequence(set(at, 'undone'), on(local, kv({ key: 'told', value: '1' }), named('told')));

  test('replaces undoing step by step, on that host and the local machine', async () => {
    const rig = new Rig(['a', 'b']);
    rig.host('a').set('weak', 'yes');
    const both = [a, b];
    const result = await rig.run(
      task('m/t', sequence(set(both, 'one'), on(both, weak({ key: 'two', value: '1' }), named('two'))), undo(both)),
    );
    expect(rig.host('a').state.values).toEqual({ weak: 'yes', one: '1', undone: '1' });
    expect(rig.host('b').state.values).toEqual({ one: '1', two: '1' });
    expect(rig.host('local').get('told')).toBe('1');
    expect(rig.outcomes()).toMatchObject({
      'm/t/one@a': 'reverted',
      'm/t/two@a': 'failed',
      'm/t/undo/undone@a': 'changed',
    });
    expect(result.counts).toEqual({ changed: 2, reverted: 1, failed: 1 });
    expect(rig.journal.phases('m/t/one@a').slice(-2)).toEqual(['reverting', 'reverted']);
  });

  test('does for each host what is meant for it', async () => {
    const rig = new Rig(['a', 'b']);
    const each = on([a, b], ({ name }) => kv({ key: 'undone', value: `on ${name}` }), named('undone'));
    await rig.run(task('m/t', failing(b, 'bad'), each));
    expect(rig.host('b').get('undone')).toBe('on b');
    expect(rig.host('a').get('undone')).toBeUndefined();
  });

  test('may use the values of the task, and goes on when the run is drained', async () => {
    const rig = new Rig(['a']);
    const one = on(a, kv({ key: 'one', value: 'v1' }), named('one'));
    const undoing = on(a, kv({ key: 'undone', value: one.ref() }), named('undone'));
    const manual = new Manual();
    const running = rig.run(task('m/t', sequence(one, on(a, manual.use({ name: 'held' }), named('held'))), undoing));
    await manual.until(['held@a']);
    rig.drain.abort();
    manual.fail('held@a');
    const result = await running;
    expect(rig.host('a').get('undone')).toBe('v1');
    expect(result.outcome).toBe('failed');
  });

  test('where nothing of the task was begun there is nothing to undo', async () => {
    const rig = new Rig(['a']);
    const broken = kvLike({
      judge: () => {
        throw new Error('cannot be judged');
      },
    });
    const check = on(a, broken({ key: 'x', value: '1' }), named('x'));
    await rig.run(task('m/t', check, undo(a)));
    expect(rig.of('rollback-started')).toEqual([]);
    await rig.run(task('m/t', sequence(on(a, say({}), named('say')), check), undo(a)));
    expect(rig.host('a').get('undone')).toBe('1');
  });

  test('a dry run undoes nothing', async () => {
    const rig = new Rig(['a']);
    const broken = kvLike({
      judge: () => {
        throw new Error('cannot be judged');
      },
    });
    await rig.run(task('m/t', on(a, broken({ key: 'x', value: '1' }), named('x')), undo(a)), { dryRun: true });
    expect(rig.of('rollback-started')).toEqual([]);
    expect(rig.outcomes()).toEqual({ 'm/t/x@a': 'failed' });
  });

  test('one that fails leaves everything dirty', async () => {
    const rig = new Rig(['a']);
    const result = await rig.run(task('m/t', sequence(set(a, 'one'), failing(a, 'bad')), failing(a, 'undoing')));
    expect(result.counts).toEqual({ dirty: 2 });
    expect(causes(result)).toEqual(['KX4002 m/t/bad@a', 'KX4005 m/t/bad@a']);
    expect(result.failures[1]!.error.params['reason']).toContain('m/t/undo/undoing@a');
    expect(rig.journal.phases('m/t/one@a').at(-1)).toBe('dirty');
  });
});

describe('finalizers', () => {
  test('run whatever happened, but not on lost hosts, and not when stopped at once', async () => {
    const rig = new Rig(['a', 'b']);
    const result = await rig.run(task('m/t', failing(a, 'bad')), { finalizers: set([a, b], 'final') });
    expect(result).toMatchObject({ outcome: 'failed', counts: { failed: 1, changed: 2 } });
    expect(rig.of('finalizers-started')).toMatchObject([{ nodes: 2 }]);
    expect(rig.journal.records.map(({ phase }) => phase)).toContain('finalizers');

    const lost = new Rig(['a', 'b']);
    lost.machine('a').lose('kv get one');
    const asked = vi.spyOn(lost.machine('a'), 'batch');
    const partial = await lost.run(set([a, b], 'one'), { finalizers: set([a, b], 'final') });
    expect(partial).toMatchObject({ outcome: 'partial', lostHosts: ['a'] });
    expect(lost.outcomes()).toEqual({
      'one@a': 'unknown',
      'one@b': 'changed',
      'final@a': 'unknown',
      'final@b': 'changed',
    });
    expect(lost.of('host-lost').length).toBe(1);
    expect(asked).toHaveBeenCalledTimes(1);

    const stopped = new Rig(['a']);
    stopped.stop.abort();
    await stopped.run(set(a, 'one'), { finalizers: set(a, 'final') });
    expect(stopped.host('a').state.values).toEqual({});
    expect(stopped.of('finalizers-started')).toEqual([]);
  });

  test('run after a drain, and one that fails makes the run fail', async () => {
    const rig = new Rig(['a']);
    rig.drain.abort();
    const result = await rig.run(set(a, 'one'), { finalizers: parallel(set(a, 'final'), failing(a, 'bad')) });
    expect(result.outcome).toBe('interrupted');
    expect(rig.outcomes()).toEqual({ 'one@a': 'skipped', 'final@a': 'changed', 'bad@a': 'failed' });
    const other = new Rig(['a']);
    expect((await other.run(set(a, 'one'), { finalizers: failing(a, 'bad') })).outcome).toBe('failed');
    expect(other.host('a').get('bad')).toBe('broken');
  });
});
