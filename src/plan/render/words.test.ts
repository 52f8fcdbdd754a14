import { describe, expect, it } from 'vitest';
import { thousands } from '../../model/text/thousands.ts';
import { clip, columns, duration, pad, plain, plural } from './words.ts';

describe('words', () => {
  it.each([
    [0, '0 s'],
    [0.4, '0 s'],
    [59.4, '59 s'],
    [59.6, '1 min'],
    [60, '1 min'],
    [200, '3 min 20 s'],
    [3599.9, '1 h'],
    [3900, '1 h 5 min'],
    [7199, '2 h'],
    [90_000, '25 h'],
  ])('%d seconds: %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });

  it('counts', () => {
    expect([0, 999, 1000, 1_234_567].map(thousands)).toEqual(['0', '999', '1,000', '1,234,567']);
    expect([plural(1, 'host'), plural(5000, 'host'), plural(2, 'entry', 'entries')]).toEqual([
      '1 host',
      '5,000 hosts',
      '2 entries',
    ]);
  });

  it('measures what a terminal shows', () => {
    expect(columns('abc')).toBe(3);
    expect(columns('节点1')).toBe(5);
    expect(columns('e\u0301')).toBe(1);
    expect(columns('‹…›')).toBe(3);
    expect(columns('🎉')).toBe(2);
  });

  it('cuts by columns and says so', () => {
    expect(clip('abcdef', 6)).toBe('abcdef');
    expect(clip('abcdef', 4)).toBe('abc…');
    expect(clip('节点节点', 5)).toBe('节点…');
    expect(clip('节点节点', 4)).toBe('节…');
    expect(clip('abc', 0)).toBe('');
    expect(pad('节', 4)).toBe('节  ');
    expect(pad('abcd', 2)).toBe('abcd');
  });

  it('lets no control character through', () => {
    expect(plain('a\u001b[31mb\nc\td\u0007\u202e')).toBe('a�[31mb␤c d��');
  });
});
