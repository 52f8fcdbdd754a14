import { describe, expect, it } from 'vitest';
import { file, hosts, join, step, touch } from '../../test/plans/fixtures.ts';
import { on } from './combinators.ts';
import { dedicated, defineStep, fieldOf, half, needed, satisfied } from './step.ts';

describe('a step', () => {
  it('is used with a want, under the name of its kind', () => {
    expect(touch({ path: '/x' })).toMatchObject({ name: 'touch', want: { path: '/x' }, weight: 1 });
    expect(touch({ path: '/x' }).step).toBe(touch.definition);
  });

  it('weighs what it estimates, also where that depends on the want', () => {
    expect(file({ path: '/x', content: '' }).weight).toBe(2);
    expect(join({ token: 't', endpoint: 'e' }).weight).toBe(40);
    expect(join({ token: 't', endpoint: '' }).weight).toBe(1);
  });

  it('weighs one second where its estimate needs a value that is not there yet, or makes no sense', () => {
    const estimated = (estimateSeconds: (want: { readonly list: readonly number[] }) => number) =>
      defineStep<{ readonly list: readonly number[] }>()({
        kind: 'estimated',
        description: 'x',
        title: () => 'x',
        apply: async () => undefined,
        example: { list: [] },
        estimateSeconds,
      });
    const later = on(hosts('a'), { ...step('x'), output: [1, 2] }).ref();
    expect(estimated((want) => want.list.reduce((a, b) => a + b))({ list: later }).weight).toBe(1);
    expect(estimated(() => Number.NaN)({ list: [] }).weight).toBe(1);
    expect(estimated(() => -5)({ list: [] }).weight).toBe(1);
    expect(estimated((want) => want.list.length)({ list: [1, 2, 3] }).weight).toBe(3);
  });

  it('is named by its domain', () => {
    const unit = dedicated('unit', file, 'The unit.', (content: string) => file({ path: '/u', content }));
    expect(unit('x')).toMatchObject({ name: 'unit', want: { path: '/u', content: 'x' } });
    expect({ ...unit }).toEqual({ stepName: 'unit', kind: 'file', description: 'The unit.' });
  });
});

describe('a field', () => {
  it('is a value, a function of the want, or a default', () => {
    expect(fieldOf(5, {}, 1)).toBe(5);
    expect(fieldOf((want: { readonly n: number }) => want.n, { n: 3 }, 1)).toBe(3);
    expect(fieldOf(undefined, {}, 1)).toBe(1);
    expect(fieldOf<object, boolean>(false, {}, true)).toBe(false);
  });
});

describe('verdicts', () => {
  it('carry what their readers need', () => {
    expect(satisfied('v')).toEqual({ verdict: 'satisfied', output: 'v' });
    expect(satisfied()).toEqual({ verdict: 'satisfied', output: undefined });
    expect(needed('seen', [{ what: 'x' }])).toEqual({ verdict: 'needed', seen: 'seen', diff: [{ what: 'x' }] });
    expect(half('seen', 'why')).toEqual({ verdict: 'half', seen: 'seen', why: 'why' });
  });
});
