import { expect, test } from 'vitest';
import { anchor, code, markdownTable, page } from './markdown.ts';

test('a table survives what is in its cells', () => {
  expect(markdownTable(['a', 'b'], [['x | y', `${code('<name>')} and <b>`]])).toEqual([
    '| a | b |',
    '| --- | --- |',
    '| x \\| y | `<name>` and &lt;b> |',
    '',
  ]);
  expect(markdownTable(['a'], [])).toEqual([]);
});

test('code with backticks in it', () => {
  expect([code('a'), code(''), code('a `b` c')]).toEqual(['`a`', '', '`` a `b` c ``']);
});

test('anchors are those that sites make of headings', () => {
  expect([anchor('kubexm get runs'), anchor('operations/run-command'), anchor('步骤')]).toEqual([
    'kubexm-get-runs',
    'operationsrun-command',
    '步骤',
  ]);
});

test('a page says that it is generated, and has no double empty lines', () => {
  const text = page('Title', ['a', '', ''], ['', 'b']);
  expect(text).toMatch(/^<!-- Written by `kubexm generate docs`.*-->\n# Title\n\na\n\nb\n$/);
});
