import { expect, test } from 'vitest';
import { neededSettings, wantedValue } from './box.ts';

test.each([
  [{ key: 'a', least: 8192 }, '128', '8192'],
  [{ key: 'a', least: 8192 }, '8192', undefined],
  [{ key: 'a', least: 8192 }, '99999', undefined],
  [{ key: 'a', exact: '0' }, '1', '0'],
  [{ key: 'a', exact: '0' }, '0', undefined],
])('%j where it is %s: %s', (need, now, wanted) => {
  expect(wantedValue(need, now)).toBe(wanted);
});

test('connections to track grow with the cores, as kube-proxy counts them', () => {
  const least = (cores: number) => neededSettings(cores).find((one) => one.key.endsWith('conntrack_max'))?.least;
  expect([2, 4, 8].map(least)).toEqual([131_072, 131_072, 262_144]);
});
