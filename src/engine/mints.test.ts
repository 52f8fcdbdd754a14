import { expect, test } from 'vitest';
import { causes, host, kv, kvLike, local, Rig } from '../../test/rig/engine.ts';
import { sh } from '../model/script.ts';
import { barrier, on, sequence } from '../plan/combinators.ts';
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

test.each([
  [undefined, ['1', '1', '1'], 1],
  [60, ['1', '1', '1'], 1],
  [0, ['1', '2', '3'], 3],
])('a secret that stays fresh for %s s: each node in turn gets %j', async (freshSeconds, values, made) => {
  const rig = new Rig(['a', 'b', 'c']);
  const secret = defineStep<object>()({
    kind: 'token',
    description: 'a short-lived secret',
    title: () => 'token',
    nature: 'mint',
    ...(freshSeconds === undefined ? {} : { freshSeconds }),
    apply: () => sh`kv add minted 1; kv get minted`,
    result: (seen) => ({ token: seen.stdout.trim() }),
    example: {},
  });
  const joins = kvLike({
    apply: (_host, want) => sh`kv set ${want.key} done; kv set last ${want.value}`,
    judge: (seen, want) =>
      seen.code === 0
        ? { verdict: 'satisfied', output: 'in' }
        : { verdict: 'needed', seen: undefined, diff: [{ what: want.key }] },
  });
  const token = on(local, secret({}), { name: 'token' });
  const use = (name: string) =>
    on(host(name), joins({ key: 'joined', value: member(token.ref(), 'token') }), { name: `use-${name}` });
  const result = await rig.run(sequence(token, barrier('x', 'all', use('a'), barrier('y', 'all', use('b'), use('c')))));
  expect(result.outcome).toBe('succeeded');
  expect(['a', 'b', 'c'].map((name) => rig.host(name).get('last'))).toEqual(values);
  expect(rig.host('local').get('minted')).toBe(String(made));
  // It is one step of the plan, however often it was made.
  expect(result.counts.ran).toBe(1);
  expect(rig.events.filter((event) => event.type === 'node-finished' && event.node === 'token@local')).toHaveLength(1);
});
