import { expect, test } from 'vitest';
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

test('what a host prints cannot steer the terminal', () => {
  expect(printable('\x1b[2J\x1b]0;title\x07red\x1b[31m a\tb\nc')).toBe('red a    b c');
  expect(printableLines('10 %\r20 %\r\nnext\n\n')).toEqual(['20 %', 'next']);
});

test('what a host prints cannot pass for something else', () => {
  expect(printable('safe\u202egnp.exe')).toBe('safe\ufffdgnp.exe');
  expect(printable('admin\u200b')).toBe('admin\ufffd');
  expect(printable('نمی\u200cخواهم 👩\u200d💻')).toBe('نمی\u200cخواهم 👩\u200d💻');
});
