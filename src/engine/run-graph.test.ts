import { describe, expect, test } from 'vitest';
import { causes, host, kv, kvLike, Rig, task } from '../../test/rig/engine.ts';
import { LOCAL, type LockOwner } from '../model/host.ts';
import { sh } from '../model/script.ts';
import { nothing, on } from '../plan/combinators.ts';
import { combine, outcomeOf } from './outcome.ts';
import { lockMachines, releaseMachines } from './run-graph.ts';

const owner = (run: string): LockOwner => ({
  run,
  cluster: 'c',
  pipeline: 'create cluster',
  user: `user-of-${run}`,
  machine: 'here',
  pid: 1,
  since: 'noon',
});

describe('locks', () => {
  test('all machines but the local one are taken, and given back', async () => {
    const rig = new Rig(['a', 'b']);
    expect(await lockMachines(rig.machines, owner('r1'))).toEqual(new Map());
    expect(rig.host('a').state.lock?.owner.run).toBe('r1');
    expect(rig.host(LOCAL).state.lock).toBeUndefined();
    await releaseMachines(rig.machines, [], 'r1', true);
    expect(rig.host('b').state.lock).toBeUndefined();
  });

  test('refused by one, the others are given back, and the owner is named', async () => {
    const rig = new Rig(['a', 'b', 'c']);
    await rig.machine('b').lock(owner('other'));
    await expect(lockMachines(rig.machines, owner('r1'))).rejects.toMatchObject({
      code: 'KX3101',
      params: {
        host: 'b',
        run: 'other',
        user: 'user-of-other',
        pipeline: 'create cluster',
        machine: 'here',
        since: 'noon',
      },
    });
    expect(['a', 'b', 'c'].map((name) => rig.host(name).state.lock?.owner.run)).toEqual([
      undefined,
      'other',
      undefined,
    ]);
  });

  test('a machine that is lost on the way is no obstacle', async () => {
    const rig = new Rig(['a', 'b']);
    rig.machine('b').lose();
    const lost = await lockMachines(rig.machines, owner('r1'));
    expect([...lost]).toMatchObject([['b', { code: 'KX3012' }]]);
    expect(rig.host('a').state.lock?.owner.run).toBe('r1');
    await releaseMachines(rig.machines, ['b'], 'r1', false);
    expect(rig.host('a').state.lock).toBeUndefined();
  });

  test('before-images stay after a failure, for a resume, and go after success', async () => {
    const rig = new Rig(['a']);
    await rig.run(on(host('a'), kv({ key: 'x', value: '1' }), { name: 'x' }));
    await releaseMachines(rig.machines, [], 'r1', false);
    expect(Object.keys(rig.host('a').state.saved).length).toBe(1);
    await releaseMachines(rig.machines, [], 'other', true);
    expect(Object.keys(rig.host('a').state.saved).length).toBe(1);
    await releaseMachines(rig.machines, [], 'r1', true);
    expect(rig.host('a').state.saved).toEqual({});
  });
});

describe('outcomes', () => {
  test('an interruption outweighs a failure, a failure a lost host', () => {
    const failure = { node: 'n', host: 'h', error: { code: 'KX4002' as const, params: {} } };
    expect(outcomeOf([failure], 1, true)).toBe('interrupted');
    expect(outcomeOf([failure], 1, false)).toBe('failed');
    expect(outcomeOf([], 1, false)).toBe('partial');
    expect(outcomeOf([], 0, false)).toBe('succeeded');
  });

  test('a run and its finalizers are one result', () => {
    const step = { node: 'x@a', durationMs: 2 };
    const base = { failures: [], lostHosts: ['a'], criticalPathMs: 2, criticalPath: [step] };
    const one = { ...base, outcome: 'partial' as const, counts: { changed: 1, unknown: 1 } };
    const two = { ...base, outcome: 'succeeded' as const, counts: { changed: 2 } };
    expect(combine(one, two)).toEqual({
      ...base,
      outcome: 'partial',
      counts: { changed: 3, unknown: 1 },
      criticalPathMs: 4,
      criticalPath: [step, step],
    });
    expect(combine(two, { ...two, outcome: 'failed' }).outcome).toBe('failed');
  });

  test('nothing to do is a success', async () => {
    const rig = new Rig([]);
    expect(await rig.run(nothing())).toMatchObject({ outcome: 'succeeded', counts: {}, criticalPathMs: 0 });
  });

  test('the longest chain of waits is measured', async () => {
    const rig = new Rig(['a']);
    const slow = kvLike({ apply: (_host, want) => sh`sleep 0.03; kv set ${want.key} 1` });
    const result = await rig.run(task('m/t', on(host('a'), slow({ key: 'x', value: '1' }), { name: 'x' })));
    expect(causes(result)).toEqual([]);
    expect(result.criticalPathMs).toBeGreaterThanOrEqual(29);
    expect(result.criticalPath.map(({ node }) => node)).toEqual(['m/t/x@a']);
  });
});
