import { describe, expect, test } from 'vitest';
import { eventually, host, kv, kvLike, Manual, Rig, task } from '../../test/rig/engine.ts';
import { sh } from '../model/script.ts';
import { lastly, on, parallel, sequence } from '../plan/combinators.ts';

const a = host('a');
const b = host('b');
const named = (name: string) => ({ name });
const set = (key: string) => on(a, kv({ key, value: '1' }), named(key));
const held = kvLike({ apply: (_host, want) => sh`hold ${want.key}; kv set ${want.key} 1` });
const job = kvLike({ job: true, apply: (_host, want) => sh`hold ${want.key}; kv set ${want.key} 1` });

describe('drain', () => {
  test('what runs ends and is noted; nothing new starts; nothing is rolled back', async () => {
    const rig = new Rig(['a']);
    const plan = task('m/t', sequence(set('one'), on(a, job({ key: 'two', value: '1' }), named('two')), set('three')));
    const running = rig.run(plan);
    await eventually(() => rig.host('a').isHeld('two'));
    rig.drain.abort();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(rig.outcomes()).toEqual({ 'm/t/one@a': 'changed' });
    rig.host('a').release('two');
    const result = await running;
    expect(result).toMatchObject({ outcome: 'interrupted', failures: [], counts: { changed: 2, skipped: 1 } });
    expect(rig.host('a').state.values).toEqual({ one: '1', two: '1' });
    expect(rig.journal.phases('m/t/two@a')).toEqual(['intent', 'applied', 'done']);
    expect(rig.of('rollback-started')).toEqual([]);
  });

  test('a cleanup still runs when what it waits for has ended, unless told to stop at once', async () => {
    const cleanup = kvLike({ guard: 'cleanup' })({ key: 'clean', value: '1' });
    const plan = () => {
      const begun = set('begun');
      const before = sequence(begun, on(a, held({ key: 'one', value: '1' }), named('one')), set('two'));
      return lastly('ended', before, begun, parallel(on(a, cleanup, named('clean')), set('report')));
    };
    const drained = new Rig(['a']);
    const running = drained.run(plan());
    await eventually(() => drained.host('a').isHeld('one'));
    drained.drain.abort();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(drained.host('a').get('clean')).toBeUndefined();
    drained.host('a').release('one');
    expect((await running).outcome).toBe('interrupted');
    expect(drained.outcomes()).toMatchObject({ 'two@a': 'skipped', 'clean@a': 'changed', 'report@a': 'skipped' });

    const stopped = new Rig(['a']);
    const stopping = stopped.run(plan());
    await eventually(() => stopped.host('a').isHeld('one'));
    stopped.stop.abort();
    await stopping;
    expect(stopped.host('a').get('clean')).toBeUndefined();

    // Nothing has begun, so there is nothing to clean up.
    const early = new Rig(['a']);
    early.drain.abort();
    await early.run(plan());
    expect(early.outcomes()).toMatchObject({ 'begun@a': 'skipped', 'clean@a': 'skipped' });
  });

  test('a step that fills a cache ends at once; it is no failure, and others finish', async () => {
    const rig = new Rig(['a']);
    let begun = false;
    const filling = kvLike({
      caches: true,
      apply: (_host, _want, io) =>
        new Promise<void>((_, reject) => {
          begun = true;
          io.signal.addEventListener('abort', () => reject(io.signal.reason), { once: true });
        }),
    });
    const cache = on(a, filling({ key: 'cache', value: '1' }), named('cache'));
    const other = on(a, held({ key: 'other', value: '1' }), named('other'));
    const running = rig.run(task('m/t', parallel(sequence(cache, set('after')), other)));
    await eventually(() => begun && rig.host('a').isHeld('other'));
    rig.drain.abort();
    await eventually(() => rig.outcomes()['m/t/cache@a'] === 'skipped');
    expect(rig.outcomes()).not.toHaveProperty('m/t/other@a');
    rig.host('a').release('other');
    expect(await running).toMatchObject({ outcome: 'interrupted', failures: [], counts: { changed: 1, skipped: 2 } });
    expect(rig.of('rollback-started')).toEqual([]);
  });

  test('a step that fills a cache and fails for another reason has failed, also after the first Ctrl-C', async () => {
    const rig = new Rig(['a']);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const filling = kvLike({
      caches: true,
      apply: (_host, _want, io) => {
        const { signal } = io;
        begin();
        return new Promise<void>((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('wrong digest')), { once: true });
        });
      },
    });
    const running = rig.run(task('m/t', on(a, filling({ key: 'cache', value: '1' }), named('cache'))));
    await begun;
    rig.drain.abort();
    const { outcome, failures } = await running;
    expect(outcome).toBe('failed');
    expect(failures.map(({ error }) => error.params['reason'])).toEqual(['wrong digest']);
  });

  test('a cache stays when another step of its task fails, also in a run that is gone on with', async () => {
    const cache = kvLike({ caches: true })({ key: 'cache', value: '1' });
    const broken = kvLike({ apply: () => sh`exit 3` })({ key: 'broken', value: '1' });
    const plan = () => task('m/t', sequence(on(a, cache, named('cache')), on(a, broken, named('broken'))));
    const rig = new Rig(['a']);
    for (const resumed of [false, true]) {
      const { outcome } = await rig.run(plan(), resumed ? { replay: rig.died() } : {});
      expect(outcome).toBe('failed');
      expect(rig.of('rollback-started').flatMap(({ nodes }) => nodes)).not.toContain('m/t/cache@a');
      expect(rig.host('a').get('cache')).toBe('1');
    }
    expect(rig.outcomes()).toMatchObject({ 'm/t/cache@a': 'satisfied', 'm/t/broken@a': 'failed' });
  });

  test('what waits for its turn does not start', async () => {
    const rig = new Rig(['a', 'b']);
    const manual = new Manual();
    const many = Array.from({ length: 30 }, (_, i) => on([a, b], manual.use({ name: `n${i}` }), named(`n${i}`)));
    const running = rig.run(parallel(...many), { limits: { total: 3, perHost: 2 } });
    await manual.until(3);
    rig.drain.abort();
    for (const name of manual.held) manual.go(name);
    expect((await running).counts).toEqual({ ran: 3, skipped: 57 });
    // The same when it is the hosts that are full, not the run.
    const full = new Rig(['a', 'b']);
    const again = full.run(parallel(...many), { limits: { total: 99, perHost: 2 } });
    await manual.until(4);
    full.drain.abort();
    for (const name of manual.held) manual.go(name);
    expect((await again).counts).toEqual({ ran: 4, skipped: 56 });
  });

  test('what waits to send does not start either, be it for the line or for its host', async () => {
    for (const hosts of [[a], [a, b]]) {
      const rig = new Rig(['a', 'b']);
      const manual = new Manual();
      const many = Array.from({ length: 20 }, (_, i) => {
        const use = manual.use({ name: `n${i}` });
        return on(hosts, { ...use, step: { ...use.step, sends: true } }, named(`n${i}`));
      });
      const running = rig.run(parallel(...many), { limits: { total: 99, perHost: 9, sending: 3 } });
      await manual.until(hosts.length + 1);
      rig.drain.abort();
      for (const name of manual.held) manual.go(name);
      expect((await running).counts).toEqual({
        ran: hosts.length + 1,
        skipped: 20 * hosts.length - hosts.length - 1,
      });
    }
  });

  test('a check that is on its way is not followed up', async () => {
    const rig = new Rig(['a'], { latencyMs: 20 });
    const running = rig.run(sequence(set('one'), set('two')));
    rig.drain.abort();
    expect(await running).toMatchObject({ outcome: 'interrupted', counts: { skipped: 2 } });
    expect(rig.host('a').state.values).toEqual({});
  });

  test('before the start: everything is skipped; with nothing left out the run has succeeded', async () => {
    const rig = new Rig(['a']);
    rig.drain.abort();
    expect((await rig.run(set('one'))).outcome).toBe('interrupted');
    const late = new Rig(['a']);
    const manual = new Manual();
    const running = late.run(on(a, manual.use({ name: 'last' }), named('last')));
    await manual.until(1);
    late.drain.abort();
    manual.go('last@a');
    expect((await running).outcome).toBe('succeeded');
  });

  test('a failure after it is still rolled back', async () => {
    const rig = new Rig(['a']);
    const bad = kvLike({ job: true, apply: () => sh`hold bad; fail 1 no` });
    const running = rig.run(task('m/t', sequence(set('one'), on(a, bad({ key: 'two', value: '1' }), named('two')))));
    await eventually(() => rig.host('a').isHeld('bad'));
    rig.drain.abort();
    rig.host('a').release('bad');
    const result = await running;
    expect(result).toMatchObject({ outcome: 'failed', counts: { reverted: 1, failed: 1 } });
    expect(rig.host('a').state.values).toEqual({});
  });
});

describe('stop', () => {
  test('commands, checks, jobs and work of steps are let go of at once, and all of it is unknown', async () => {
    const rig = new Rig(['a', 'b', 'c', 'd']);
    const manual = new Manual();
    const deaf = on(host('c'), manual.use({ name: 'deaf' }), named('deaf'));
    const asks = kvLike({ probe: () => sh`hold ever` });
    const plan = parallel(
      task('m/a', on(a, held({ key: 'command', value: '1' }), named('command'))),
      task('m/b', on(b, job({ key: 'job', value: '1' }), named('job'))),
      task('m/c', deaf),
      task('m/d', sequence(on(host('d'), asks({ key: 'asked', value: '1' }), named('asked')))),
    );
    const running = rig.run(plan);
    await eventually(
      () => rig.host('a').isHeld('command') && rig.host('b').isHeld('job') && rig.host('d').isHeld('ever'),
    );
    await manual.until(['deaf@c']);
    const began = performance.now();
    rig.drain.abort();
    rig.stop.abort();
    const result = await running;
    // Nor is a step that does not listen waited for.
    expect(performance.now() - began).toBeLessThan(4000);
    expect(result).toMatchObject({ outcome: 'interrupted', failures: [], counts: { unknown: 4 } });
    expect(rig.of('rollback-started')).toEqual([]);
    // The job goes on, and the journal says so.
    rig.host('b').release('job');
    await eventually(() => rig.host('b').get('job') === '1');
    expect([...rig.journal.replay().open.keys()].toSorted()).toEqual(['m/a/command@a', 'm/b/job@b']);
  });

  test('in the middle of undoing: what is left stays as it is, to be gone on with', async () => {
    const rig = new Rig(['a']);
    const stuck = kvLike({ revert: () => sh`hold revert` });
    const bad = kvLike({ apply: () => sh`fail 1 no` });
    const plan = task(
      'm/t',
      sequence(
        set('one'),
        on(a, stuck({ key: 'two', value: '1' }), named('two')),
        on(a, bad({ key: 'three', value: '1' }), named('three')),
      ),
    );
    const running = rig.run(plan);
    await eventually(() => rig.host('a').isHeld('revert'));
    rig.stop.abort();
    const result = await running;
    expect(result.counts).toEqual({ changed: 2, failed: 1 });
    expect(rig.journal.phases('m/t/two@a').at(-1)).toBe('reverting');
    expect(rig.host('a').get('one')).toBe('1');
    expect(rig.journal.phases('m/t/one@a')).toEqual(['intent', 'applied', 'done']);
  });

  test('a wait between two tries ends', async () => {
    const rig = new Rig(['a']);
    const flaky = kvLike({
      apply: () => sh`fail 1 no`,
      retry: () => ({ attempts: 5, delaySeconds: 600, transient: () => true }),
    });
    const running = rig.run(on(a, flaky({ key: 'x', value: '1' }), named('x')));
    await eventually(() => rig.of('node-retry').length === 1);
    rig.stop.abort();
    expect((await running).counts).toEqual({ unknown: 1 });
  });
});
