import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inRange, parseRange } from './range.ts';
import { compareVersions, parseVersion } from './version.ts';

describe('versions', () => {
  test.each([
    ['1.34.2', { major: 1, minor: 34, patch: 2, suffix: '' }],
    ['v1.34.2', { major: 1, minor: 34, patch: 2, suffix: '' }],
    ['3.10', { major: 3, minor: 10, patch: 0, suffix: '' }],
    ['1.9.1-flannel3', { major: 1, minor: 9, patch: 1, suffix: 'flannel3' }],
  ])('%s is read', (text, parts) => {
    expect(parseVersion(text)).toEqual(parts);
  });

  test.each(['', '1', 'latest', '1.2.3.4', '1.2.x', ' 1.2.3', '1.2.3 ', '1.2.3-', '-1.2', 'vv1.2'])(
    '«%s» is none',
    (text) => {
      expect(parseVersion(text)).toBeUndefined();
    },
  );

  test('are ordered by numbers, not by letters', () => {
    const sorted = ['3.9', '3.10', '3.10.1', '3.10.2-rc.2', '3.10.2-rc.10', '3.10.2', '10.0.0'];
    expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted);
  });

  test('the order is total: antisymmetric and transitive', () => {
    const part = fc.integer({ min: 0, max: 12 });
    const version = fc
      .tuple(part, part, part, fc.constantFrom('', '-rc.1', '-rc.2', '-a', '-1'))
      .map(([a, b, c, suffix]) => `${a}.${b}.${c}${suffix}`);
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) + 0);
        expect(compareVersions(a, b) === 0).toBe(a === b);
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
          expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe('ranges', () => {
  test.each([
    ['1.34.2', '*', true],
    ['1.34.2', '>=1.34 <1.35', true],
    ['1.35.0', '>=1.34 <1.35', false],
    ['1.34.0', '>1.34', false],
    ['1.34.0', '<=1.34', true],
    ['3.10', '=3.10.0', true],
    ['2.0.6', '>=1.7.28 <2.0 || >=2.0.6 <2.1', true],
    ['2.0.5', '>=1.7.28 <2.0 || >=2.0.6 <2.1', false],
    ['1.7.30', '>=1.7.28 <2.0 || >=2.0.6 <2.1', true],
  ])('%s in %s: %s', (version, range, expected) => {
    expect(inRange(version, range)).toBe(expected);
  });

  test.each(['', '1.34', '~1.34', '>=', '>= 1.34', '>=1.34 ||', '>=latest', '=>1.34'])('«%s» is none', (text) => {
    expect(parseRange(text)).toBeUndefined();
    expect(inRange('1.34.0', text)).toBe(false);
  });
});
