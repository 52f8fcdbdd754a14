import { expect, test } from 'vitest';
import { painter, wantsColor } from './color.ts';
import { paintLine, span } from './line.ts';
import { printable, printableLines } from './printable.ts';
import { cutText, padText, padTextStart, textWidth, wrapText } from './width.ts';

test.each([
  ['node1', 5],
  ['节点1', 5],
  ['集群：', 6],
  ['é', 1],
  ['e\u0301', 1],
  ['👍', 2],
  ['✓ ━ … │', 7],
  ['한글', 4],
  ['', 0],
])('%s takes %i columns', (text, columns) => {
  expect(textWidth(text)).toBe(columns);
});

test.each([
  ['node1', 5, 'node1'],
  ['node12', 5, 'node…'],
  ['节点一二', 8, '节点一二'],
  ['节点一二', 7, '节点一…'],
  ['节点一二', 6, '节点…'],
  ['abc', 0, ''],
  ['abc', 1, '…'],
])('%s cut to %i columns is %s', (text, columns, cut) => {
  expect(cutText(text, columns)).toBe(cut);
  expect(textWidth(cutText(text, columns))).toBeLessThanOrEqual(columns);
});

test('fills up by columns, not by characters', () => {
  expect(padText('节点', 6)).toBe('节点  ');
  expect(padTextStart('节点', 6)).toBe('  节点');
});

test('wraps between words, and anywhere in Chinese but before its punctuation', () => {
  expect(wrapText('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrapText('请检查路径，然后重试。', 10)).toEqual(['请检查路', '径，然后重', '试。']);
  expect(wrapText('a\nb', 10)).toEqual(['a', 'b']);
  expect(wrapText('用 kubexm get runs 查看', 12)).toEqual(['用 kubexm', 'get runs 查', '看']);
});

test('a line keeps its right part and cuts its left one', () => {
  const paint = painter(false);
  expect(paintLine([span('create cluster')], 24, paint, [span('12 s')])).toBe('create cluster      12 s');
  expect(paintLine([span('create cluster'), span(' prod')], 20, paint, [span('12 s')])).toBe('create cluster… 12 s');
  expect(paintLine([span('create cluster')], 8, paint, [span('12 s')])).toBe('create …');
});

test('paint goes around what is left after cutting', () => {
  expect(paintLine([span('ab', 'red'), span('cdef', 'bold')], 4, painter(true))).toBe(
    '\x1b[31mab\x1b[0m\x1b[1mc…\x1b[0m',
  );
});

test.each([
  [true, {}, false, true],
  [false, {}, false, false],
  [true, { NO_COLOR: '1' }, false, false],
  [true, { NO_COLOR: '' }, false, true],
  [false, { FORCE_COLOR: '1' }, false, true],
  [true, { FORCE_COLOR: '0' }, false, false],
  [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
  [true, { FORCE_COLOR: '1' }, true, false],
  [true, { TERM: 'dumb' }, false, false],
])('terminal %s with %j and --no-color %s: colour %s', (terminal, env, flag, wanted) => {
  expect(wantsColor(terminal, env, flag)).toBe(wanted);
});

test('what a host prints cannot steer the terminal', () => {
  expect(printable('\x1b[2J\x1b]0;title\x07red\x1b[31m a\tb\nc')).toBe('red a    b c');
  expect(printableLines('10 %\r20 %\r\nnext\n\n')).toEqual(['20 %', 'next']);
});
