import { expect, test } from 'vitest';
import { causes, host, kv, Rig } from '../../test/rig/engine.ts';
import { kubexmError } from '../model/errors/index.ts';
import { sh } from '../model/script.ts';
import { on, sequence } from '../plan/combinators.ts';
import { defineStep } from '../plan/step.ts';

const a = host('a');

test('where the run would fail, the rest is shown all the same, and the end is that of the run', async () => {
  const rig = new Rig(['a']);
  const foreseen = defineStep<object>()({
    kind: 'foreseen',
    description: 'fails, and knows it before',
    title: () => 'foreseen',
    nature: 'action',
    predict: (_at, _want, io) => {
      io.wouldFail(kubexmError('KX4500', { errors: 2 }));
      return undefined;
    },
    apply: () => sh`fail 1 no`,
    example: {},
  });
  const result = await rig.run(
    sequence(on(a, foreseen({}), { name: 'foreseen' }), on(a, kv({ key: 'x', value: '1' }), { name: 'x' })),
    { dryRun: true },
  );
  expect(result.outcome).toBe('failed');
  expect(causes(result)).toEqual(['KX4500 foreseen@a']);
  expect(rig.outcomes()).toEqual({ 'foreseen@a': 'would-run', 'x@a': 'would-change' });
  expect(rig.of('rollback-started')).toEqual([]);
});
