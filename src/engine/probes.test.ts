import { describe, expect, test } from 'vitest';
import { eventually, host, kv, kvLike, local, Manual, Rig } from '../../test/rig/engine.ts';
import { sh } from '../model/script.ts';
import { on, parallel, sequence } from '../plan/combinators.ts';
import type { Wanted } from '../plan/ref.ts';

const a = host('a');
const b = host('b');

const keys = (count: number) => Array.from({ length: count }, (_, i) => `k${i}`);
const chain = (at: typeof a | readonly (typeof a)[], count: number) =>
  sequence(...keys(count).map((key) => on(at, kv({ key, value: '1' }), { name: key })));

/** The keys that each batch asked about. */
const asked = (rig: Rig) =>
  rig
    .machine('a')
    .sent.filter(({ by }) => by === 'batch')
    .map(({ script }) => [...script.matchAll(/kv get '?(\w+)/g)].map(([, key]) => key));

describe('round trips', () => {
  test('everything satisfied costs one batch for each host', async () => {
    const values = Object.fromEntries(keys(100).map((key) => [key, '1']));
    const rig = new Rig(['a', 'b'], { values });
    const result = await rig.run(chain([a, b], 100));
    expect(result.counts).toEqual({ satisfied: 200 });
    for (const name of ['a', 'b']) {
      expect(rig.machine(name).trips).toBe(1);
      expect(rig.machine(name).sent.map(({ by }) => by)).toEqual(['batch']);
    }
  });

  test.each([
    ['a chain', chain(a, 5)],
    ['independent steps', parallel(...keys(5).map((key) => on(a, kv({ key, value: '1' }), { name: key })))],
  ])('the time of a round trip counts once: %s', async (_name, fragment) => {
    const rig = new Rig(['a'], { values: Object.fromEntries(keys(5).map((key) => [key, '1'])) });
    const machine = rig.machine('a');
    const batch = machine.batch.bind(machine);
    machine.batch = async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 80));
      return await batch(...args);
    };
    const result = await rig.run(fragment);
    const times = rig.of('node-finished').map(({ durationMs }) => durationMs);
    expect(times.filter((ms) => ms >= 70)).toHaveLength(1);
    expect(times.filter((ms) => ms === 0)).toHaveLength(4);
    expect(result.criticalPathMs).toBe(Math.max(...times));
  });

  test('a chain in which everything changes costs one round trip a step, and one to begin with', async () => {
    const rig = new Rig(['a']);
    const result = await rig.run(chain(a, 20));
    expect(result.counts).toEqual({ changed: 20 });
    expect(rig.machine('a').trips).toBe(21);
  });

  test('a change in front makes what follows be asked again, in batches that grow', async () => {
    const rig = new Rig(['a'], {
      values: Object.fromEntries(
        keys(100)
          .slice(1)
          .map((key) => [key, '1']),
      ),
    });
    const result = await rig.run(chain(a, 100));
    expect(result.counts).toEqual({ changed: 1, satisfied: 99 });
    // One look, one change with the next check behind it, then 2, 4, 8 … at once.
    expect(rig.machine('a').trips).toBeLessThanOrEqual(9);
  });

  test('a change at the end leaves what was asked in front alone', async () => {
    const rig = new Rig(['a'], { values: Object.fromEntries(keys(99).map((key) => [key, '1'])) });
    expect((await rig.run(chain(a, 100))).counts).toEqual({ changed: 1, satisfied: 99 });
    expect(rig.machine('a').trips).toBe(2);
  });

  test('an action that is sure to run, here or elsewhere, is not asked past: the answers would be old', async () => {
    for (const where of [a, local]) {
      const rig = new Rig(['a'], { values: Object.fromEntries(keys(9).map((key) => [key, '1'])) });
      const manual = new Manual();
      const check = (key: string) => on(a, kv({ key, value: '1' }), { name: key });
      const running = rig.run(
        sequence(
          check('k0'),
          check('k1'),
          on(where, manual.use({ name: 'act' }), { name: 'act' }),
          check('k2'),
          check('k3'),
        ),
      );
      await eventually(() => manual.started.length > 0);
      expect(asked(rig)).toEqual([['k0', 'k1']]);
      manual.go(`act@${where.name}`);
      await running;
      expect(asked(rig)).toEqual([
        ['k0', 'k1'],
        ['k2', 'k3'],
      ]);
    }
  });

  test('what was answered and has not changed since is not asked again', async () => {
    const rig = new Rig(['a', 'b'], { values: Object.fromEntries(keys(9).map((key) => [key, '1'])) });
    const check = (key: string, value: Wanted<string> = '1') => on(a, kv({ key, value }), { name: key });
    const elsewhere = on(b, kv({ key: 'k8', value: '1' }), { name: 'elsewhere' });
    await rig.run(sequence(parallel(elsewhere, check('k0')), check('k1', elsewhere.ref()), check('k2'), check('k3')));
    expect(asked(rig)).toEqual([['k0', 'k2', 'k3'], ['k1']]);
  });

  test('what was answered before something changed is asked again', async () => {
    const rig = new Rig(['a', 'b'], { values: Object.fromEntries(keys(4).map((key) => [key, '1'])) });
    const check = (key: string, value: Wanted<string> = '1') => on(a, kv({ key, value }), { name: key });
    const elsewhere = on(b, kv({ key: 'new', value: '1' }), { name: 'elsewhere' });
    await rig.run(sequence(parallel(elsewhere, check('k0')), check('k1', elsewhere.ref()), check('k2'), check('k3')));
    expect(rig.outcomes()).toMatchObject({ 'elsewhere@b': 'changed', 'k3@a': 'satisfied' });
    expect(asked(rig)).toEqual([
      ['k0', 'k2', 'k3'],
      ['k1', 'k2', 'k3'],
    ]);
  });

  test('a job is not a command: its check comes after it', async () => {
    const rig = new Rig(['a']);
    const job = kvLike({ job: true });
    await rig.run(
      sequence(on(a, job({ key: 'x', value: '1' }), { name: 'x' }), on(a, kv({ key: 'y', value: '1' }), { name: 'y' })),
    );
    // Look; job; check with the next check; forget; change with its check.
    expect(rig.machine('a').trips).toBeLessThanOrEqual(5);
    expect(rig.host('a').state.jobs).toEqual({});
  });

  test('hosts that share a want share its probe', async () => {
    let made = 0;
    const counting = kvLike({
      probe: (want) => {
        made++;
        return sh`kv get ${want.key}`;
      },
    });
    const rig = new Rig(['a', 'b'], { values: { x: '1' } });
    await rig.run(on([a, b], counting({ key: 'x', value: '1' })));
    expect(made).toBe(1);
  });

  test('a probe that breaks the batch breaks only its own node', async () => {
    const rig = new Rig(['a'], { values: { x: '1', z: '1' } });
    const hanging = kvLike({ probe: () => sh`hold for-ever`, timeoutSeconds: 0.05 });
    const machine = rig.machine('a');
    const batch = machine.batch.bind(machine);
    machine.batch = (probes, options) => batch(probes, { timeoutSeconds: 0.05, ...options });
    const three = parallel(
      on(a, kv({ key: 'x', value: '1' }), { name: 'x' }),
      on(a, hanging({ key: 'y', value: '1' }), { name: 'y' }),
      on(a, kv({ key: 'z', value: '1' }), { name: 'z' }),
    );
    const result = await rig.run(three);
    expect(rig.outcomes()).toEqual({ 'x@a': 'satisfied', 'y@a': 'failed', 'z@a': 'satisfied' });
    expect(result.failures.map(({ node, error }) => [node, error.code])).toEqual([['y@a', 'KX3030']]);
  });

  test('a probe that breaks the batch behind a change does not fail the change', async () => {
    const rig = new Rig(['a']);
    const machine = rig.machine('a');
    const batch = machine.batch.bind(machine);
    machine.batch = (probes, options) => batch(probes, { timeoutSeconds: 0.05, ...options });
    const hanging = kvLike({ probe: (want) => sh`kv has x && hold ${want.key}`, timeoutSeconds: 0.05 });
    const two = sequence(
      on(a, kv({ key: 'x', value: '1' }), { name: 'x' }),
      on(a, hanging({ key: 'y', value: '1' }), { name: 'y' }),
    );
    const result = await rig.run(two);
    expect(rig.outcomes()).toEqual({ 'x@a': 'changed', 'y@a': 'failed' });
    expect(result.failures.map(({ node }) => node)).toEqual(['y@a']);
  });

  test('what became ready while others were asked about is asked next, whatever came of them', async () => {
    for (const lost of [false, true]) {
      const rig = new Rig(['a'], { values: { y: '1' } });
      const manual = new Manual();
      const hanging = kvLike({ probe: () => sh`hold for-ever`, timeoutSeconds: 0.2 });
      const machine = rig.machine('a');
      const batch = machine.batch.bind(machine);
      machine.batch = (probes, options) => batch(probes, { ...options, timeoutSeconds: lost ? 60 : 0.2 });
      const held = on(local, manual.use({ name: 'held' }), { name: 'held' });
      const running = rig.run(
        parallel(
          on(a, hanging({ key: 'x', value: '1' }), { name: 'x' }),
          sequence(held, on(a, kv({ key: 'y', value: '1' }), { name: 'y' })),
        ),
      );
      await eventually(() => rig.host('a').isHeld('for-ever'));
      manual.go('held@local');
      await eventually(() => rig.outcomes()['held@local'] === 'ran');
      if (lost) machine.lose();
      await running;
      expect(rig.outcomes()).toMatchObject(
        lost ? { 'x@a': 'unknown', 'y@a': 'unknown' } : { 'x@a': 'failed', 'y@a': 'satisfied' },
      );
    }
  });

  test('a probe that cannot be made fails its node when its turn comes, not the run', async () => {
    const rig = new Rig(['a']);
    const broken = kvLike({
      probe: () => {
        throw new Error('no such thing');
      },
    });
    const result = await rig.run(
      sequence(
        on(a, kv({ key: 'x', value: '1' }), { name: 'x' }),
        on(a, broken({ key: 'y', value: '1' }), { name: 'y' }),
      ),
    );
    expect(rig.outcomes()).toEqual({ 'x@a': 'changed', 'y@a': 'failed' });
    expect(result.failures).toMatchObject([
      { node: 'y@a', error: { code: 'KX4002', params: { reason: 'no such thing' } } },
    ]);
  });
});
