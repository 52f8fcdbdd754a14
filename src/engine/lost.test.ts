import { describe, expect, test } from 'vitest';
import {
  causes,
  eventually,
  host,
  type Kv,
  kv,
  kvDefinition,
  kvLike,
  Manual,
  Rig,
  task,
} from '../../test/rig/engine.ts';
import type { FaultTime } from '../../test/rig/memory/memory.ts';
import { KubexmError } from '../model/errors/index.ts';
import { output } from '../model/host.ts';
import { sh } from '../model/script.ts';
import { on, parallel, sequence } from '../plan/combinators.ts';
import { defineStep, half, needed, satisfied } from '../plan/step.ts';

const a = host('a');
const b = host('b');
const named = (name: string) => ({ name });
const set = (at: typeof a | readonly (typeof a)[], key: string) => on(at, kv({ key, value: '1' }), named(key));

describe('a host is lost', () => {
  test.each(['kv get two', 'kv set two'])(
    'under %s: its nodes are unknown, nothing is reverted, the rest goes on',
    async (under) => {
      const rig = new Rig(['a', 'b']);
      rig.machine('a').lose(under);
      const both = [a, b];
      const result = await rig.run(task('m/t', sequence(set(both, 'one'), set(both, 'two'), set(both, 'three'))));
      expect(result).toMatchObject({ outcome: 'partial', failures: [], lostHosts: ['a'] });
      expect(rig.outcomes()).toEqual({
        'm/t/one@a': under === 'kv get two' ? 'unknown' : 'changed',
        'm/t/two@a': 'unknown',
        'm/t/three@a': 'unknown',
        'm/t/one@b': 'changed',
        'm/t/two@b': 'changed',
        'm/t/three@b': 'changed',
      });
      expect(rig.of('rollback-started')).toEqual([]);
      expect(rig.of('host-lost')).toMatchObject([{ host: 'a', error: { code: 'KX3012' } }]);
      expect(rig.journal.phases('m/t/two@a').at(-1)).toBe('unknown');
    },
  );

  test.each(['KX3012', 'KX3005', 'KX3103'] as const)('%s means that it must be left alone', async (code) => {
    const rig = new Rig(['a', 'b']);
    const machine = rig.machine('a');
    machine.run = async () => {
      throw new KubexmError(code, { host: 'a' });
    };
    const result = await rig.run(task('m/t', sequence(set([a, b], 'one'), set([a, b], 'two'))));
    expect(result).toMatchObject({
      outcome: 'partial',
      failures: [],
      lostHosts: ['a'],
      counts: { unknown: 2, changed: 2 },
    });
    expect(rig.of('rollback-started')).toEqual([]);
  });

  test('one that never answered is lost from the beginning', async () => {
    const rig = new Rig(['a', 'b']);
    rig.machines.delete('a');
    const unreachable = new Map([['a', { code: 'KX3012' as const, params: {} }]]);
    const result = await rig.run(set([a, b], 'one'), { unreachable });
    expect(result).toMatchObject({ outcome: 'partial', counts: { changed: 1, unknown: 1 }, lostHosts: ['a'] });
  });

  test('a plan for a host that nobody knows is refused', () => {
    const rig = new Rig(['a']);
    return expect(rig.run(set([a, b], 'one'))).rejects.toThrow('no machine for host b');
  });

  test('while its task is being undone: what is left is not touched, and not called dirty', async () => {
    const rig = new Rig(['a']);
    rig.machine('a').lose('kx_restore');
    const bad = kvLike({ apply: () => sh`fail 1 no` });
    const plan = task('m/t', sequence(set(a, 'one'), on(a, bad({ key: 'two', value: '1' }), named('two'))));
    const result = await rig.run(plan);
    expect(causes(result)).toEqual(['KX4002 m/t/two@a']);
    expect(result).toMatchObject({ lostHosts: ['a'], counts: { changed: 1, failed: 1 } });
    expect(rig.host('a').get('one')).toBe('1');
  });

  test('many at once, with changes waiting for their turn: all is settled', async () => {
    const rig = new Rig(['a', 'b']);
    const manual = new Manual();
    const many = Array.from({ length: 50 }, (_, i) => on([a, b], manual.use({ name: `n${i}` }), named(`n${i}`)));
    const running = rig.run(parallel(...many), { limits: { total: 4, perHost: 2 } });
    await manual.until(4);
    rig.machine('a').lose();
    manual.fail(manual.held.find((name) => name.endsWith('@a'))!, Object.assign(await lostError(rig)));
    await manual.shuffle(() => 0, running);
    const result = await running;
    expect(result.counts.ran! + result.counts.unknown!).toBe(100);
    expect(result.counts.unknown).toBeGreaterThanOrEqual(48);
    expect(result.outcome).toBe('partial');
  });
});

async function lostError(rig: Rig): Promise<Error> {
  try {
    await rig.machine('a').run(sh`:`);
    throw new Error('not lost');
  } catch (error) {
    return error as Error;
  }
}

describe('the connection is cut', () => {
  const counted = kvLike({ apply: (_host, want) => sh`kv add tries 1; kv set ${want.key} ${want.value}` });

  test.each([
    ['before', '1'],
    ['during', '2'],
    ['after', '1'],
  ] as const)('%s a command: looked at, then done again or accepted', async (when: FaultTime, tries) => {
    const rig = new Rig(['a']);
    rig.machine('a').cut('kv add tries', when);
    const { saves: _, ...rest } = counted.definition;
    const result = await rig.run(on(a, defineStep<Kv>()(rest)({ key: 'x', value: '1' }), named('x')));
    expect(result.counts).toEqual({ changed: 1 });
    expect(rig.host('a').state.values).toEqual({ x: '1', tries });
    expect(rig.journal.phases('x@a').at(-1)).toBe('done');
    expect(rig.of('node-retry')).toEqual([]);
  });

  test('too often: the host is lost, for what it did cannot be found out', async () => {
    const rig = new Rig(['a']);
    for (let i = 0; i < 20; i++) rig.machine('a').cut('kv add tries', 'before');
    const result = await rig.run(on(a, counted({ key: 'x', value: '1' }), named('x')));
    expect(result).toMatchObject({ failures: [], lostHosts: ['a'], counts: { unknown: 1 } });
    expect(rig.of('host-lost')).toMatchObject([{ error: { code: 'KX3019', params: { host: 'a', count: 5 } } }]);
    expect(rig.of('rollback-started')).toEqual([]);
  });

  test('too often under a job, or under a revert: likewise', async () => {
    const rig = new Rig(['a', 'b']);
    const broken = async (): Promise<never> => {
      throw new KubexmError('KX3011', { host: 'a' });
    };
    rig.machine('a').job = broken;
    for (let i = 0; i < 20; i++) rig.machine('b').cut('kx_restore', 'before');
    const job = kvLike({ once: true, apply: () => sh`kv set x 1` });
    const bad = kvLike({ apply: () => sh`fail 1 no` });
    const plan = parallel(
      task('m/j', on(a, job({ key: 'x', value: '1' }), named('x'))),
      task('m/t', sequence(set(b, 'one'), on(b, bad({ key: 'two', value: '1' }), named('two')))),
    );
    const result = await rig.run(plan);
    expect(causes(result)).toEqual(['KX4002 m/t/two@b']);
    expect(result).toMatchObject({ lostHosts: ['a', 'b'], counts: { unknown: 1, changed: 1, failed: 1 } });
  });

  test('a host that is lost while it is looked at after a failed revert is not dirty', async () => {
    const rig = new Rig(['a']);
    const machine = rig.machine('a');
    const run = machine.run.bind(machine);
    machine.run = async (script, options) => {
      if (script.script.includes('kx_restore')) {
        machine.lose();
        return output(1, '', 'no image');
      }
      return await run(script, options);
    };
    const bad = kvLike({ apply: () => sh`fail 1 no` });
    const result = await rig.run(task('m/t', on(a, bad({ key: 'two', value: '1' }), named('two'))));
    expect(causes(result)).toEqual(['KX4002 m/t/two@a']);
    expect(result).toMatchObject({ lostHosts: ['a'], counts: { failed: 1 } });
  });

  test('under a batch: it is asked again', async () => {
    const rig = new Rig(['a'], { values: { x: '1' } });
    rig.machine('a').cut('kv get x');
    expect((await rig.run(set(a, 'x'))).counts).toEqual({ satisfied: 1 });
  });

  test('under a revert: it is done again', async () => {
    const rig = new Rig(['a'], { values: { one: 'was' } });
    rig.machine('a').cut('kx_restore r1/m_t_one', 'before');
    const bad = kvLike({ apply: () => sh`fail 1 no` });
    const result = await rig.run(
      task('m/t', sequence(set(a, 'one'), on(a, bad({ key: 'two', value: '1' }), named('two')))),
    );
    expect(result.counts).toEqual({ reverted: 1, failed: 1 });
    expect(rig.host('a').get('one')).toBe('was');
  });

  test('a command that leaves a half state is undone before it is done again', async () => {
    const rig = new Rig(['a']);
    const twoParts = defineStep<Kv>()({
      ...kvDefinition,
      probe: () => sh`kv get first; kv get second`,
      judge: (seen) => {
        const parts = seen.stdout.trim().split('\n').filter(Boolean).length;
        return parts === 2 ? satisfied('') : parts === 1 ? half('', 'one part') : needed('', [{ what: 'parts' }]);
      },
      saves: () => [],
      apply: () => sh`kv set first 1; kv set second 1; kv add applied 1`,
      revert: () => sh`kv add undone 1; kv del first; kv del second`,
    });
    rig.machine('a').cut('kv set first', 'during');
    expect((await rig.run(on(a, twoParts({ key: 'x', value: '1' }), named('x')))).counts).toEqual({ changed: 1 });
    expect(rig.host('a').state.values).toEqual({ first: '1', second: '1', applied: '1', undone: '1' });
  });

  test('under a job: the job does not notice, and is not done twice', async () => {
    const rig = new Rig(['a']);
    const job = kvLike({ once: true, apply: (_host, want) => sh`kv add tries 1; hold job; kv set ${want.key} 1` });
    rig.machine('a').cut('kv add tries');
    const running = rig.run(on(a, job({ key: 'x', value: '1' }), named('x')));
    await eventually(() => rig.host('a').isHeld('job'));
    rig.host('a').release('job');
    expect((await running).counts).toEqual({ changed: 1 });
    expect(rig.host('a').get('tries')).toBe('1');
  });

  test("under a once-only step's own work: it is looked at before it is done again", async () => {
    const rig = new Rig(['a']);
    const own = kvLike({
      once: true,
      apply: async (at, want): Promise<undefined> => {
        await at.run(sh`kv add tries 1; kv set ${want.key} 1`);
      },
    });
    rig.machine('a').cut('kv add tries', 'after');
    expect((await rig.run(on(a, own({ key: 'x', value: '1' }), named('x')))).counts).toEqual({ changed: 1 });
    expect(rig.host('a').get('tries')).toBe('1');
  });

  test('a job that throws the cut at us is attached to again, not looked at half way', async () => {
    const rig = new Rig(['a']);
    const machine = rig.machine('a');
    const start = machine.job.bind(machine);
    let calls = 0;
    machine.job = async (job) => {
      calls++;
      if (calls > 1) return await start(job);
      void start(job);
      machine.cut('cut me', 'before');
      return await machine.run(sh`: cut me`).then(() => Promise.reject(new Error('not cut')));
    };
    const job = defineStep<Kv>()({
      ...kvDefinition,
      once: true,
      probe: () => sh`kv get tries; kv get x`,
      judge: (seen) => {
        const parts = seen.stdout.trim().split('\n').filter(Boolean).length;
        return parts === 2 ? satisfied('') : parts === 1 ? half('', 'under way') : needed('', [{ what: 'x' }]);
      },
      saves: () => [],
      apply: () => sh`kv add tries 1; hold job; kv set x 1`,
      revert: () => sh`kv add undone 1`,
    });
    const running = rig.run(on(a, job({ key: 'x', value: '1' }), named('x')));
    await eventually(() => rig.host('a').isHeld('job'));
    rig.host('a').release('job');
    expect((await running).counts).toEqual({ changed: 1 });
    expect(rig.host('a').get('undone')).toBeUndefined();
    expect(calls).toBe(2);
    expect(rig.host('a').get('tries')).toBe('1');
  });

  test('a job that dies with its machine is forgotten, checked, and started again under another name', async () => {
    const rig = new Rig(['a']);
    const job = kvLike({ once: true, apply: (_host, want) => sh`kv add tries 1; hold job; kv set ${want.key} 1` });
    const running = rig.run(on(a, job({ key: 'x', value: '1' }), named('x')));
    const jobs = () => Object.keys(rig.host('a').state.jobs);
    await eventually(() => rig.host('a').isHeld('job'));
    const [key] = jobs();
    rig.host('a').killJob(key!);
    await eventually(() => jobs().length === 1 && jobs()[0] !== key);
    const [next] = jobs();
    expect([key!.at(-1), next!.at(-1)]).toEqual(['1', '2']);
    rig.host('a').release('job');
    expect((await running).counts).toEqual({ changed: 1 });
    expect(rig.host('a').get('tries')).toBe('2');
  });
});
