import { describe, expect, test } from 'vitest';
import { causes, host, kv, kvLike, local, Manual, Rig, task } from '../../test/rig/engine.ts';
import { sh } from '../model/script.ts';
import { barrier, lastly, on, parallel, rolling, sequence } from '../plan/combinators.ts';
import type { JoinNeeds } from '../plan/node.ts';

const named = (name: string) => ({ name });
const set = (at: readonly ReturnType<typeof host>[], key: string) => on(at, kv({ key, value: '1' }), named(key));
/** Fails on hosts that have the key `weak`. */
const weak = kvLike({
  apply: (_host, want) => sh`kv has weak && fail 6 too weak; kv set ${want.key} ${want.value}`,
});

describe('joins', () => {
  const hosts = ['a', 'b', 'c'].map(host);
  const run = async (needs: JoinNeeds, failed: readonly string[], lost: readonly string[]) => {
    const rig = new Rig(['a', 'b', 'c']);
    for (const name of failed) rig.host(name).set('weak', 'yes');
    for (const name of lost) rig.machine(name).lose('kv get one');
    const before = task('m/t', on(hosts, weak({ key: 'one', value: '1' }), named('one')));
    const result = await rig.run(barrier('meet', needs, before, task('m/u', set(hosts, 'two'))));
    const two = hosts.map(({ name }) => rig.outcomes()[`m/u/two@${name}`]);
    return { outcome: result.outcome, two, counts: result.counts };
  };

  test.each([
    ['all', [], [], 'succeeded', ['changed', 'changed', 'changed']],
    ['all', ['a'], [], 'failed', ['skipped', 'skipped', 'skipped']],
    ['all', [], ['a'], 'partial', ['unknown', 'skipped', 'skipped']],
    ['quorum', ['a'], [], 'failed', ['skipped', 'changed', 'changed']],
    ['quorum', [], ['a'], 'partial', ['unknown', 'changed', 'changed']],
    ['quorum', ['a'], ['b'], 'failed', ['skipped', 'unknown', 'skipped']],
    ['present', [], ['a'], 'partial', ['unknown', 'changed', 'changed']],
    ['present', [], ['a', 'b'], 'partial', ['unknown', 'unknown', 'changed']],
    ['present', ['a'], [], 'failed', ['skipped', 'skipped', 'skipped']],
    ['present', ['a'], ['b'], 'failed', ['skipped', 'unknown', 'skipped']],
    ['settled', ['a'], ['b'], 'failed', ['skipped', 'unknown', 'changed']],
    ['settled', ['a', 'b'], [], 'failed', ['skipped', 'skipped', 'changed']],
  ] as const)('%s with %j failed and %j lost', async (needs, failed, lost, outcome, two) => {
    expect(await run(needs, failed, lost)).toMatchObject({ outcome, two });
  });

  test('a host counts once, however many steps it comes with, and joins are not counted as steps', async () => {
    const rig = new Rig(['a', 'b', 'c']);
    for (const name of ['b', 'c']) rig.host(name).set('weak', 'yes');
    const before = parallel(
      ...['w', 'x', 'y'].map((key) => set(hosts, key)),
      on(hosts, weak({ key: 'one', value: '1' }), named('one')),
    );
    const result = await rig.run(barrier('meet', 'quorum', before, set(hosts, 'two')));
    expect(result.counts).toEqual({ changed: 10, failed: 2, skipped: 3 });
  });

  test('a join that waits when its hosts are undone is not reached by what they had done', async () => {
    const rig = new Rig(['a', 'b', 'c']);
    const manual = new Manual();
    const one = set(hosts, 'one');
    const wait = on(host('c'), manual.use({ name: 'wait' }), named('wait'));
    const rest = on(['a', 'b'].map(host), manual.use({ name: 'rest' }), named('rest'));
    // The join stands on `one` only; the task goes on beside it and fails on two of three hosts.
    const plan = parallel(task('m/t', parallel(sequence(one, rest), wait)));
    const joined = barrier('meet', 'quorum', plan, set(hosts, 'two'));
    const running = rig.run(joined);
    await manual.until(['wait@c', 'rest@a', 'rest@b']);
    manual.fail('rest@a');
    manual.fail('rest@b');
    manual.go('wait@c');
    const result = await running;
    expect(result.counts).toMatchObject({ reverted: 2, failed: 2, skipped: 3 });
  });

  test('a rolling change stops after the batch that failed', async () => {
    const rig = new Rig(['a', 'b', 'c']);
    rig.host('b').set('weak', 'yes');
    const plan = rolling('roll', hosts, { batch: 1 }, (batch) =>
      on(batch, weak({ key: `on-${batch[0]!.name}`, value: '1' }), named(`roll-${batch[0]!.name}`)),
    );
    await rig.run(plan);
    expect(rig.outcomes()).toEqual({ 'roll-a@a': 'changed', 'roll-b@b': 'failed', 'roll-c@c': 'skipped' });
  });
});

describe('what comes last', () => {
  const [a, b, c] = [host('a'), host('b'), host('c')];
  const run = async (failed: Readonly<Record<string, string>>, lost: readonly string[] = []) => {
    const rig = new Rig(['a', 'b', 'c']);
    const fails = kvLike({
      apply: (_host, want) => sh`kv has ${`weak-${want.key}`} && fail 6 too weak; kv set ${want.key} ${want.value}`,
    });
    for (const [name, key] of Object.entries(failed)) rig.host(name).set(`weak-${key}`, 'yes');
    for (const name of lost) rig.machine(name).lose('kv get joined');
    const step = (at: ReturnType<typeof host> | readonly ReturnType<typeof host>[], key: string) =>
      task(`m/${key}`, on(at, fails({ key, value: '1' }), named(key)));
    const begun = step(a, 'begun');
    const nodes = sequence(begun, step([b, c], 'joined'), step([a, b, c], 'well'));
    const last = parallel(step(a, 'finish'), sequence(step(a, 'asked'), step(local, 'told')));
    const result = await rig.run(lastly('all', nodes, begun, last));
    const seen = rig.of('node-finished').filter(({ node }) => /finish|asked|told/.test(node));
    return { outcome: result.outcome, causes: causes(result), last: seen.map(({ outcome }) => outcome) };
  };
  const done = ['changed', 'changed', 'changed'];

  test.each([
    ['all is well', {}, [], 'succeeded', [], done],
    ['a node fails to join', { b: 'joined' }, [], 'failed', ['KX4002 m/joined/joined@b'], done],
    ['all nodes fail to join', { b: 'joined', c: 'joined' }, [], 'failed', expect.any(Array), done],
    ['a node is lost', {}, ['c'], 'partial', [], done],
    ['one fails and one is lost', { b: 'joined' }, ['c'], 'failed', ['KX4002 m/joined/joined@b'], done],
    ['the first itself is not well later', { a: 'well' }, [], 'failed', ['KX4002 m/well/well@a'], done],
    ['it never began', { a: 'begun' }, [], 'failed', ['KX4002 m/begun/begun@a'], ['skipped', 'skipped', 'skipped']],
    [
      'a part of it fails',
      { a: 'finish' },
      [],
      'failed',
      ['KX4002 m/finish/finish@a'],
      ['changed', 'failed', 'changed'],
    ],
  ] as const)('%s', async (_, failed, lost, outcome, why, last) => {
    const found = await run(failed, lost);
    expect({ ...found, last: [...found.last].sort() }).toEqual({ outcome, causes: why, last: [...last].sort() });
  });
});
