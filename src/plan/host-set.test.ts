import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HostSet } from './host-set.ts';

describe('HostSet', () => {
  it('is the same object for the same array', () => {
    const names = ['a', 'b'];
    expect(HostSet.of(names)).toBe(HostSet.of(names));
    expect(HostSet.of([])).toBe(HostSet.empty);
  });

  it('does not go stale when the array is changed', () => {
    const names = ['a'];
    const before = HostSet.of(names);
    names.push('b');
    expect(HostSet.of(names).names).toEqual(['a', 'b']);
    expect(before.names).toEqual(['a']);
  });

  it('keeps each name once, in order', () => {
    const set = HostSet.of(['b', 'a', 'b']);
    expect(set.names).toEqual(['b', 'a']);
    expect([...set.index]).toEqual([
      ['b', 0],
      ['a', 1],
    ]);
  });

  it('gives back one of its operands where the result is the same set', () => {
    const all = HostSet.of(['a', 'b', 'c']);
    const some = HostSet.of(['b']);
    expect(all.union(some)).toBe(all);
    expect(HostSet.empty.union(all)).toBe(all);
    expect(all.intersect(some)).toBe(some);
    expect(all.minus(HostSet.of(['x']))).toBe(all);
    expect(all.minus(all)).toBe(HostSet.empty);
  });

  it('computes as sets do', () => {
    const names = fc.uniqueArray(fc.constantFrom(...Array.from({ length: 30 }, (_, i) => `h${i}`)));
    fc.assert(
      fc.property(names, names, (x, y) => {
        const [a, b] = [HostSet.of(x), HostSet.of(y)];
        expect([...a.union(b).names].sort()).toEqual([...new Set([...x, ...y])].sort());
        expect([...a.intersect(b).names].sort()).toEqual(x.filter((name) => y.includes(name)).sort());
        expect([...a.minus(b).names].sort()).toEqual(x.filter((name) => !y.includes(name)).sort());
        expect(x.every((name) => a.has(name))).toBe(true);
        expect(a.isExactly(x)).toBe(true);
      }),
    );
  });
});
