import { describe, expect, test } from 'vitest';
import { causes, host, type Kv, kv, kvDefinition, kvLike, Rig, task } from '../../test/rig/engine.ts';
import type { MemoryHost } from '../../test/rig/memory/memory.ts';
import { output } from '../model/host.ts';
import { rawScript, sh } from '../model/script.ts';
import { on, sequence } from '../plan/combinators.ts';
import { defineStep, half, needed, type Retry, type StepDefinition, satisfied } from '../plan/step.ts';

const a = host('a');
const x = { key: 'x', value: '1' };
const named = (name: string) => ({ name });

describe('checking after a change', () => {
  test('a change that does not stick is a failure, with what the check still says', async () => {
    const rig = new Rig(['a']);
    const slips = kvLike({ apply: () => sh`kv set x 1; echo started; kv del x` });
    const result = await rig.run(on(a, slips(x), named('x')));
    expect(causes(result)).toEqual(['KX4003 x@a']);
    expect(result.failures[0]!.error).toMatchObject({ params: { reason: '+ x: 1' }, detail: 'started' });
    expect(rig.journal.phases('x@a')).toEqual(['intent', 'applied', 'reverting', 'reverted', 'failed']);
  });

  test('what has no check is done when it is done', async () => {
    const rig = new Rig(['a']);
    const say = defineStep<Kv>()({
      kind: 'say',
      description: 'an action',
      title: () => 'say',
      nature: 'action',
      apply: (_host, want) => sh`echo ${want.value}; fail 4 odd`,
      successCodes: () => [0, 4],
      result: (seen) => `${seen.code} ${seen.stdout.trim()}`,
      example: x,
    });
    const said = on(a, say(x), named('say'));
    const result = await rig.run(sequence(said, on(a, kv({ key: 'y', value: said.ref() }), named('y'))));
    expect(result.counts).toEqual({ ran: 1, changed: 1 });
    expect(rig.host('a').get('y')).toBe('4 1');
    expect(rig.of('node-output')).toMatchObject([{ node: 'say@a', code: 4, stdout: '1\n', stderr: 'odd\n' }]);
    expect(rig.journal.phases('say@a')).toEqual(['ran']);
  });

  test('a code that is no success is a failure, with the last words of the command', async () => {
    const rig = new Rig(['a']);
    const fails = kvLike({ apply: () => rawScript('echo first\nfail 4 the disk is full') });
    const result = await rig.run(on(a, fails(x), named('x')));
    expect(result.failures).toMatchObject([
      { error: { code: 'KX4002', params: { reason: 'exit code 4: the disk is full' }, detail: 'the disk is full' } },
    ]);
    const tolerant = kvLike({ apply: () => sh`kv set x 1; fail 4 fine`, successCodes: () => [4] });
    expect((await rig.run(on(a, tolerant(x), named('x')))).counts).toEqual({ changed: 1 });
  });

  test('the intent is on disk before anything is touched, and done only after the check', async () => {
    const rig = new Rig(['a']);
    const order: string[] = [];
    const machine = rig.machine('a');
    const run = machine.run.bind(machine);
    machine.run = async (script, options) => {
      order.push('run');
      return await run(script, options);
    };
    rig.journal.durable = async (record) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push(record.phase);
      rig.journal.append(record);
    };
    await rig.run(on(a, kv(x), named('x')));
    expect(order).toEqual(['intent', 'run']);
    expect(rig.journal.phases('x@a')).toEqual(['intent', 'applied', 'done']);
    expect(rig.journal.records[0]).toEqual({
      node: 'x@a',
      phase: 'intent',
      input: expect.stringMatching(/^[0-9a-f]{16}$/),
      attempt: 1,
    });
  });

  test('what a custom revert needs is in the intent', async () => {
    const rig = new Rig(['a'], { values: { x: 'before' } });
    await rig.run(on(a, kvLike({ revert: () => sh`:` })(x), named('x')));
    expect(rig.journal.records[0]).toMatchObject({ phase: 'intent', before: 'before' });
  });
});

describe('trying again', () => {
  const flaky = (retry: Partial<Retry>, script = 'kv add tries 1; fail 7 busy') =>
    kvLike({
      apply: () => rawScript(script),
      retry: () => ({
        attempts: 3,
        delaySeconds: 0,
        transient: (failure) => !(failure instanceof Error) && failure.code === 7,
        ...retry,
      }),
    });

  test('a transient failure is tried again, so often and no more', async () => {
    const rig = new Rig(['a']);
    const result = await rig.run(on(a, flaky({})(x), named('x')));
    expect(causes(result)).toEqual(['KX4002 x@a']);
    expect(rig.host('a').get('tries')).toBe('3');
    expect(rig.of('node-retry').map(({ attempt, reason }) => [attempt, reason])).toEqual([
      [2, 'exit code 7: busy'],
      [3, 'exit code 7: busy'],
    ]);
    expect(rig.journal.records.flatMap((record) => ('attempt' in record ? [record.attempt] : []))).toEqual([1, 2, 3]);
  });

  test('any other failure is final', async () => {
    const rig = new Rig(['a']);
    await rig.run(on(a, flaky({}, 'kv add tries 1; fail 8 broken')(x), named('x')));
    expect(rig.host('a').get('tries')).toBe('1');
  });

  test('a check after the change that could not look is tried again, so often and no more', async () => {
    // Silent for the first looks after the change: `kv add` counts them.
    const step = (silent: number) =>
      kvLike({
        probe: () => sh`look`,
        judge: (seen) => (seen.code === 0 ? satisfied('1') : needed(undefined, [{ what: 'x', to: '1' }])),
        apply: () => sh`kv add tries 1; kv set x 1; kv set silent ${String(silent)}`,
        retry: () => ({ attempts: 3, delaySeconds: 0, transient: () => true, unanswered: ({ code }) => code === 5 }),
      });
    const look = (_words: readonly string[], at: MemoryHost) => {
      const silent = Number(at.get('silent') ?? 0);
      if (silent > 0) at.set('silent', String(silent - 1));
      return output(silent > 0 ? 5 : at.get('x') === '1' ? 0 : 1);
    };
    const options = { commands: { look } };
    const answered = new Rig(['a'], options);
    expect((await answered.run(on(a, step(1)(x), named('x')))).counts).toEqual({ changed: 1 });
    expect(answered.host('a').get('tries')).toBe('1');
    expect(answered.of('node-retry').map(({ reason }) => reason)).toEqual(['+ x: 1']);
    const never = new Rig(['a'], options);
    expect(causes(await never.run(on(a, step(99)(x), named('x'))))).toEqual(['KX4003 x@a']);
    expect(never.of('node-retry').length).toBe(2);
    // It answers, and what it says is not as wanted: final, though every other failure would pass.
    const wrong = new Rig(['a'], { commands: { look: () => output(1) } });
    expect(causes(await wrong.run(on(a, step(0)(x), named('x'))))).toEqual(['KX4003 x@a']);
    expect(wrong.of('node-retry')).toEqual([]);
  });

  test('without a word about what passes nothing is tried again', async () => {
    const rig = new Rig(['a']);
    await rig.run(on(a, kvLike({ apply: () => sh`kv add tries 1; fail 7 busy` })(x), named('x')));
    expect(rig.host('a').get('tries')).toBe('1');
  });

  test('the machine is looked at before another try: it may be as wanted already', async () => {
    const rig = new Rig(['a']);
    const result = await rig.run(on(a, flaky({}, 'kv add tries 1; kv set x 1; fail 7 busy')(x), named('x')));
    expect(result.counts).toEqual({ changed: 1 });
    expect(rig.host('a').get('tries')).toBe('1');
    expect(rig.journal.phases('x@a')).toEqual(['intent', 'done']);
  });

  test('a rollback goes back to what was seen before the first try, not between two', async () => {
    const rig = new Rig(['a'], { values: { x: 'was' } });
    const step = flaky({}, 'kv set x partly; fail 7 busy').definition;
    const restores = kvLike({ ...step, revert: (_host, _want, before) => sh`kv set x ${before ?? ''}` });
    await rig.run(on(a, restores(x), named('x')));
    expect(rig.host('a').get('x')).toBe('was');
  });

  test('a lost host is not tried again, whatever the step thinks', async () => {
    const rig = new Rig(['a']);
    rig.machine('a').lose('tries');
    const result = await rig.run(on(a, flaky({ transient: () => true })(x), named('x')));
    expect(result).toMatchObject({ outcome: 'partial', counts: { unknown: 1 } });
    expect(rig.of('node-retry')).toEqual([]);
  });
});

describe('time', () => {
  test('a command and a job that take too long are stopped', async () => {
    for (const job of [false, true]) {
      const rig = new Rig(['a']);
      const slow = kvLike({ apply: () => sh`hold ever; kv set x 1`, timeoutSeconds: 0.05, job });
      const result = await rig.run(on(a, slow(x), named('x')));
      expect(result.failures).toMatchObject([{ error: { code: 'KX4004', params: { node: 'x@a', seconds: 0.05 } } }]);
      rig.host('a').release('ever');
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(rig.host('a').get('x')).toBeUndefined();
    }
  });

  test("a step's own work is aborted, and the rollback waits until it has ended", async () => {
    const rig = new Rig(['a']);
    const order: string[] = [];
    const slow = kvLike({
      timeoutSeconds: 0.02,
      apply: async (_host, _want, io): Promise<undefined> => {
        await new Promise<void>((resolve) => {
          io.signal.addEventListener('abort', () => setTimeout(resolve, 20));
        });
        order.push('stopped');
      },
      revert: () => {
        order.push('reverted');
        return sh`:`;
      },
    });
    const result = await rig.run(on(a, slow(x), named('x')));
    expect(causes(result)).toEqual(['KX4004 x@a']);
    expect(order).toEqual(['stopped', 'reverted']);
  });
});

/** Made in two parts, so that it can be found half done. */
const twoParts: StepDefinition<Kv, string, string> = {
  ...kvDefinition,
  kind: 'once',
  once: true,
  probe: () => sh`kv get first; kv get second`,
  judge: (seen) => {
    const parts = seen.stdout.trim().split('\n').filter(Boolean).length;
    if (parts === 2) return satisfied('both');
    return parts === 1 ? half('first', 'only one part is there') : needed('none', [{ what: 'both parts' }]);
  },
  apply: () => sh`kv add applied 1; kv set first 1; kv set second 1`,
  revert: (_host, _want, before) => sh`kv add undone 1; kv set saw ${before}; kv del first; kv del second`,
};

describe('half done', () => {
  const once = (change: Partial<StepDefinition<Kv, string, string>> = {}) => {
    // Without before-images: a once-only step puts things back by itself.
    const { saves: _, ...rest } = twoParts;
    return defineStep<Kv>()({ ...rest, ...change });
  };

  test('what is half done is undone by its own revert, looked at, and done again', async () => {
    const rig = new Rig(['a'], { values: { second: '1' } });
    expect((await rig.run(on(a, once()(x), named('x')))).counts).toEqual({ changed: 1 });
    expect(rig.host('a').state.values).toEqual({ applied: '1', undone: '1', saw: 'first', first: '1', second: '1' });
    expect(rig.journal.phases('x@a')).toEqual(['reverting', 'reverted', 'intent', 'applied', 'done']);
  });

  test('what is half done and cannot be undone is left alone, with the reason', async () => {
    const { revert: _, ...without } = once().definition;
    for (const [step, reason] of [
      [defineStep<Kv>()(without), 'the step has no revert'],
      [once({ irreversible: 'the data is gone' }), 'the data is gone'],
      [once({ revert: () => sh`fail 9 busy` }), 'exit code 9: busy'],
      [once({ revert: () => sh`:` }), 'only one part is there'],
    ] as const) {
      const rig = new Rig(['a'], { values: { second: '1' } });
      const result = await rig.run(on(a, step(x), named('x')));
      expect(result.failures).toMatchObject([{ error: { code: 'KX4014', params: { node: 'x@a', reason } } }]);
      expect(rig.host('a').get('applied')).toBeUndefined();
    }
  });

  test('a try that passes and leaves it half done is undone before the next one', async () => {
    const rig = new Rig(['a']);
    const flaky = once({
      apply: () => sh`kv add applied 1; kv set first 1; attempt && kv set second 1`,
      retry: () => ({ attempts: 2, delaySeconds: 0, transient: () => true }),
    });
    const machines = new Rig(['a'], {
      commands: { attempt: (_words, at) => output(at.get('applied') === '1' ? 1 : 0) },
    }).machines;
    expect((await rig.run(on(a, flaky(x), named('x')), { machines })).counts).toEqual({ changed: 1 });
    expect(machines.get('a')!.host.state.values).toMatchObject({ applied: '2', undone: '1', first: '1', second: '1' });
    expect(rig.journal.phases('x@a')).toEqual(['intent', 'reverting', 'reverted', 'intent', 'applied', 'done']);
  });

  test('a rollback after that goes back to what was found when the half was undone', async () => {
    const rig = new Rig(['a'], { values: { second: '1' } });
    const fails = kvLike({ apply: () => sh`fail 1 no` });
    await rig.run(
      task('m/t', sequence(on(a, once()(x), named('x')), on(a, fails({ key: 'y', value: '1' }), named('y')))),
    );
    expect(rig.host('a').state.values).toEqual({ applied: '1', undone: '2', saw: 'none' });
  });

  test('undone and then found as wanted: there was nothing to do', async () => {
    const rig = new Rig(['a'], { values: { second: '1' } });
    const odd = once({ revert: () => sh`kv set first 1` });
    expect((await rig.run(on(a, odd(x), named('x')))).counts).toEqual({ satisfied: 1 });
    expect(rig.host('a').get('applied')).toBeUndefined();
    // But the machine was touched, so what was asked before is asked again.
    const next = new Rig(['a'], { values: { second: '1', y: '1', z: '1' } });
    const spoils = once({ revert: () => sh`kv set first 1; kv set z spoilt` });
    const rest = ['y', 'z'].map((key) => on(a, kv({ key, value: '1' }), named(key)));
    expect((await next.run(sequence(on(a, spoils(x), named('x')), ...rest))).counts).toEqual({
      satisfied: 2,
      changed: 1,
    });
  });
});
