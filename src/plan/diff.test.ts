import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, textDiff } from './diff.ts';

describe('diffLines', () => {
  it('says what comes, goes and changes', () => {
    const lines = diffLines([
      { what: 'mode', from: '0644', to: '0600' },
      { what: 'line', to: 'x' },
      { what: 'old', from: 'y' },
      { what: '/etc/x' },
      { what: '/etc/y', text: '@@ line 1 @@\n-a\n+b' },
    ]);
    expect(lines).toEqual([
      '~ mode: 0644 → 0600',
      '+ line: x',
      '- old: y',
      '+ /etc/x',
      '~ /etc/y',
      '@@ line 1 @@',
      '-a',
      '+b',
    ]);
  });
});

describe('textDiff', () => {
  it('shows three lines around what changed', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].join('\n');
    expect(textDiff(before, before.replace('5', 'five')).split('\n')).toEqual([
      '@@ line 2 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+five',
      ' 6',
      ' 7',
      ' 8',
    ]);
  });

  it('shows a new file and an emptied one', () => {
    expect(textDiff('', 'a\nb')).toBe('@@ line 1 @@\n+a\n+b');
    expect(textDiff('a\nb', '')).toBe('@@ line 1 @@\n-a\n-b');
  });

  it('turns the one text into the other', () => {
    const line = fc.constantFrom('a', 'b', 'c', '');
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [head, ...lines] = textDiff(before, after).split('\n');
        const start = Number(/line (\d+)/.exec(head!)![1]) - 1;
        const old = before === '' ? [] : before.split('\n');
        const removed = lines.filter((one) => !one.startsWith('+')).map((one) => one.slice(1));
        const added = lines.filter((one) => !one.startsWith('-')).map((one) => one.slice(1));
        expect(old.slice(start, start + removed.length)).toEqual(removed);
        const patched = [...old.slice(0, start), ...added, ...old.slice(start + removed.length)];
        expect(patched).toEqual(after === '' ? [] : after.split('\n'));
      }),
    );
  });

  it('keeps as many lines as can be kept', () => {
    const line = fc.constantFrom('a', 'b', 'c');
    const text = fc.array(line, { minLength: 1, maxLength: 9 });
    const common = (a: readonly string[], b: readonly string[]): number => {
      if (a.length === 0 || b.length === 0) return 0;
      if (a[0] === b[0]) return 1 + common(a.slice(1), b.slice(1));
      return Math.max(common(a.slice(1), b), common(a, b.slice(1)));
    };
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [, ...lines] = textDiff(a.join('\n'), b.join('\n')).split('\n');
        const removed = lines.filter((one) => one.startsWith('-')).length;
        const added = lines.filter((one) => one.startsWith('+')).length;
        expect([removed, added]).toEqual([a.length - common(a, b), b.length - common(a, b)]);
      }),
      { numRuns: 200 },
    );
  });

  it('gives up on the shortest edit of very long texts, not on a right one', () => {
    const long = (word: string) => Array.from({ length: 2500 }, (_, i) => `${word}${i}`).join('\n');
    const lines = textDiff(long('a'), long('b')).split('\n');
    expect(lines.filter((one) => one.startsWith('-'))).toHaveLength(2500);
    expect(lines.filter((one) => one.startsWith('+'))).toHaveLength(2500);
  });
});
