import { describe, expect, test } from 'vitest';
import { host, kv, kvLike, Rig, task } from '../../test/rig/engine.ts';
import { sh } from '../model/script.ts';
import { mapNodes, on, parallel, sequence } from '../plan/combinators.ts';

const a = host('a');
const x = { key: 'x', value: '1' };
const named = (name: string) => ({ name });

describe('events', () => {
  test('a task is finished when all of it is, on all of its hosts', async () => {
    const rig = new Rig(['a', 'b']);
    const both = [a, host('b')];
    const fails = kvLike({ apply: () => sh`fail 1 no` });
    const good = task('m/good', sequence(on(both, kv(x), named('x')), on(a, kv({ key: 'y', value: '1' }), named('y'))));
    const bad = task('m/bad', on(both, fails({ key: 'z', value: '1' }), named('z')));
    await rig.run(parallel(good, bad));
    expect(
      rig
        .of('task-finished')
        .map(({ task: id, module, outcome }) => [id, module, outcome])
        .toSorted(),
    ).toEqual([
      ['m/bad', 'm', 'failed'],
      ['m/good', 'm', 'ok'],
    ]);
    const last = rig.events.findLastIndex((event) => event.type === 'node-finished' && event.task === 'm/good');
    const finished = rig.events.findIndex((event) => event.type === 'task-finished' && event.task === 'm/good');
    expect(finished).toBe(last + 1);
  });

  test('every node says its module and task: those of its task, its module alone, or none', async () => {
    const rig = new Rig(['a']);
    const key = (name: string) => on(a, kv({ key: name, value: '1' }), named(name));
    const ofModule = mapNodes(key('y'), (node) => ({ ...node, module: 'net' }));
    await rig.run(sequence(task('m/good', key('x')), ofModule, key('z')));
    for (const type of ['node-started', 'node-finished'] as const)
      expect(rig.of(type).map(({ node, module, task: id, step }) => [node, module, id, step])).toEqual([
        ['m/good/x@a', 'm', 'm/good', 'x'],
        ['y@a', 'net', '', 'y'],
        ['z@a', '', '', 'z'],
      ]);
  });

  test('a title that cannot be made of masks does not stop the run', async () => {
    const rig = new Rig(['a']);
    const titled = kvLike({
      title: (want) => {
        if (want.value.startsWith('‹')) throw new Error('what is this?');
        return want.key;
      },
    });
    const first = on(a, kv(x), named('x'));
    const result = await rig.run(sequence(first, on(a, titled({ key: 'y', value: first.ref() }), named('y'))));
    expect(result.counts).toEqual({ changed: 2 });
    expect(rig.of('node-started').map(({ title }) => title)).toEqual(['kv x', 'y']);
  });

  test('progress is reported now and then, and always at the end', async () => {
    const rig = new Rig(['a']);
    const sends = kvLike({
      apply: async (at, want, io): Promise<undefined> => {
        for (let i = 1; i <= 100; i++) io.progress(i, 100);
        io.say('sent');
        await at.write(want.key, want.value);
      },
    });
    await rig.run(on(a, sends(x), named('x')));
    expect(rig.of('node-progress').map(({ done }) => done)).toEqual([1, 100]);
    expect(rig.of('message')).toMatchObject([{ text: 'sent', node: 'x@a' }]);
  });
});
