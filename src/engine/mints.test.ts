import { expect, test } from 'vitest';
import { causes, host, kv, local, Rig } from '../../test/rig/engine.ts';
import { sh } from '../model/script.ts';
import { on, sequence } from '../plan/combinators.ts';
import { member } from '../plan/ref.ts';
import { defineStep } from '../plan/step.ts';

const a = host('a');

test.each([
  ['fails', 'failed', ['KX4002 token@local']],
  ['is on a lost host', 'unknown', []],
] as const)(
  'a secret made of another one: when that one %s, only that one is reported',
  async (how, outcome, reported) => {
    const rig = new Rig(['a']);
    const secret = (made: string) =>
      defineStep<{ readonly of: string }>()({
        kind: made,
        description: 'a short-lived secret',
        title: () => made,
        nature: 'mint',
        apply: () =>
          made === 'token' && how === 'fails' ? sh`fail 3 no token today` : sh`kv add minted 1; echo s3cr3t`,
        result: (seen) => ({ token: seen.stdout.trim() }),
        example: { of: '' },
      });
    if (how !== 'fails') rig.machine('local').lose('minted');
    const first = on(local, secret('token')({ of: '' }), { name: 'token' });
    const second = on(local, secret('ticket')({ of: member(first.ref(), 'token') }), { name: 'ticket' });
    const result = await rig.run(
      sequence(first, second, on(a, kv({ key: 'k', value: member(second.ref(), 'token') }), { name: 'use' })),
    );
    expect(causes(result)).toEqual(reported);
    expect(rig.outcomes()).toMatchObject({ 'token@local': outcome });
    expect(rig.outcomes()).not.toHaveProperty('ticket@local');
  },
);
