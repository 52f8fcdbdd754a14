import { describe, expect, test } from 'vitest';
import { host, kv, kvLike, Rig } from '../../test/rig/engine.ts';
import { output } from '../model/host.ts';
import { sh } from '../model/script.ts';
import { on } from '../plan/combinators.ts';

const a = host('a');
const x = { key: 'x', value: '1' };
const named = (name: string) => ({ name });

describe('before-images', () => {
  test('a script keeps its own in the same round trip; work of its own waits for it', async () => {
    const rig = new Rig(['a'], { values: { x: 'was' } });
    await rig.run(on(a, kv(x), named('x')));
    expect(rig.machine('a').trips).toBe(2);
    expect(Object.values(rig.host('a').state.saved)).toEqual([{ x: 'was' }]);
    const other = new Rig(['a'], { values: { x: 'was' } });
    const works = kvLike({
      apply: async (at, want): Promise<undefined> => {
        await Promise.all([at.write(want.key, want.value), at.run(sh`:`)]);
      },
    });
    expect((await other.run(on(a, works(x), named('x')))).counts).toEqual({ changed: 1 });
    expect(Object.values(other.host('a').state.saved)).toEqual([{ x: 'was' }]);
    const [look, save, ...rest] = other.machine('a').sent;
    expect([look!.by, save!.by, ...rest.map(({ by }) => by)]).toEqual(['batch', 'run', 'file', 'run', 'batch']);
    expect(save!.script).toContain('kx_save');
  });

  test('what cannot be kept is not changed, and nothing needs to be put back', async () => {
    const commands = { kx_save: () => output(1, '', 'no space left\n') };
    for (const step of [
      kv,
      kvLike({ job: true }),
      kvLike({
        apply: async (at, want): Promise<undefined> => {
          await at.write(want.key, want.value);
        },
      }),
    ]) {
      const rig = new Rig(['a'], { commands });
      const result = await rig.run(on(a, step(x), named('x')));
      expect(result.failures).toMatchObject([
        { error: { code: 'KX4002', params: { reason: 'its before-image could not be kept' } } },
      ]);
      expect(result.failures[0]!.error.detail).toContain('no space left');
      expect(rig.host('a').get('x')).toBeUndefined();
      expect(rig.of('rollback-started')).toEqual([]);
      expect(result.counts).toEqual({ failed: 1 });
    }
  });

  test('a step that names no path keeps none', async () => {
    const rig = new Rig(['a']);
    await rig.run(on(a, kvLike({ saves: () => [] })(x), named('x')));
    expect(rig.host('a').state.saved).toEqual({});
  });
});
