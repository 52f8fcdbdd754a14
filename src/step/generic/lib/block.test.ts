import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Block, blockIn, withBlock, withoutBlock } from './block.ts';

const B = '# BEGIN KubeXM Managed Block';
const E = '# END KubeXM Managed Block';
const block = (lines: readonly string[], more: Partial<Block> = {}): Block => ({
  id: undefined,
  comment: '#',
  lines,
  at: 'end',
  ...more,
});

describe('withBlock', () => {
  test.each<[string, string, Block, string]>([
    ['empty file', '', block(['x']), `${B}\nx\n${E}\n`],
    ['at the end', 'a\n', block(['x']), `a\n${B}\nx\n${E}\n`],
    ['no last line end', 'a', block(['x']), `a\n${B}\nx\n${E}\n`],
    ['at the start', 'a', block(['x'], { at: 'start' }), `${B}\nx\n${E}\na`],
    ['CRLF', 'a\r\n', block(['x']), `a\r\n${B}\r\nx\r\n${E}\r\n`],
    ['replaced where it is', `a\n${B}\nold\n${E}\nb`, block(['x', 'y'], { at: 'start' }), `a\n${B}\nx\ny\n${E}\nb`],
    ['last, without line end', `a\n${B}\nold\n${E}`, block(['x']), `a\n${B}\nx\n${E}`],
    ['same, without line end', `a\n${B}\nx\n${E}`, block(['x']), `a\n${B}\nx\n${E}`],
    ['second one goes', `${B}\n1\n${E}\nm\n${B}\n2\n${E}\n`, block(['x']), `${B}\nx\n${E}\nm\n`],
    ['taken out', `a\n${B}\nold\n${E}\nb`, block([]), 'a\nb'],
    ['taken out at the end', `a\n${B}\nold\n${E}`, block([]), 'a\n'],
    ['nothing to take out', 'a', block([]), 'a'],
    [
      'others of another name',
      `${B} one\n1\n${E} one\n`,
      block(['x'], { id: 'two' }),
      `${B} one\n1\n${E} one\n${B} two\nx\n${E} two\n`,
    ],
    [
      'other comments',
      '',
      block(['x'], { comment: '//' }),
      '// BEGIN KubeXM Managed Block\nx\n// END KubeXM Managed Block\n',
    ],
    ['old Macs', 'a\rb\r', block(['x']), `a\rb\r\n${B}\nx\n${E}\n`],
  ])('%s', (_name, text, wanted, expected) => {
    expect(withBlock(text, wanted)).toBe(expected);
    expect(withBlock(expected, wanted)).toBe(expected);
  });

  test.each([`${B}\nx\n`, `${E}\n`, `${B}\n${B}\n${E}\n`, `${B}\n${E}\n${E}\n`])(
    'refuses markers that do not match: %j',
    (text) => {
      expect(() => withBlock(text, block(['x']))).toThrow('no counterpart');
    },
  );

  test('keeps every other byte, is stable, and can be taken out again', () => {
    const anyText = fc
      .array(fc.constantFrom('a', '', ' ', '\r', '#', 'ü', '\0', '# BEGIN', 'x = 1'))
      .map((parts) => parts.join('\n'));
    fc.assert(
      fc.property(
        anyText,
        fc.array(fc.constantFrom('x', '', 'y y'), { minLength: 1 }),
        fc.constantFrom('start' as const, 'end' as const),
        (text, lines, at) => {
          const once = withBlock(text, block(lines, { at }));
          expect(withBlock(once, block(lines, { at }))).toBe(once);
          const added =
            text !== '' && !text.endsWith('\n') && at === 'end' ? (text.includes('\r\n') ? '\r\n' : '\n') : '';
          expect(withBlock(once, block([]))).toBe(text + added);
        },
      ),
    );
  });
});

describe('withoutBlock', () => {
  const ours = block(['x']);

  test.each<[string, string]>([
    ['a line', 'a\n'],
    ['an open line', 'a'],
    ['nothing', ''],
    ['other lines in the block', `a\n${B}\nold\n${E}\nb\n`],
    ['Windows lines', 'a\r\n'],
  ])('undoes what withBlock did to %s', (_name, text) => {
    const was = blockIn(text, ours);
    const open = text !== '' && !text.endsWith('\n');
    expect(withoutBlock(withBlock(text, ours), ours, was, open)).toBe(text);
  });

  test('a block that was taken out comes back where it was', () => {
    const text = `a\n${B}\nold\n${E}\nb\n`;
    const none = block([]);
    expect(withoutBlock(withBlock(text, none), none, blockIn(text, none), false)).toBe(text);
  });

  test('what others have written since stays', () => {
    const now = `${withBlock('a\n', ours)}theirs\n`;
    expect(withoutBlock(`mine\n${now}`, ours, undefined, false)).toBe('mine\na\ntheirs\n');
  });
});
