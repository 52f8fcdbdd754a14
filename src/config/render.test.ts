import { expect, test } from 'vitest';
import { BASE, changed } from '../../test/configs/cases.ts';
import { textWidth } from '../model/text/width.ts';
import { loadConfig } from './load.ts';
import { renderProblems } from './render.ts';

async function show(text: string, lang: 'en' | 'zh' = 'en', color = false): Promise<string> {
  const { problems, source } = await loadConfig({ text, file: 'cluster.yaml' });
  return renderProblems(problems, source, { lang, color });
}

test('a problem shows where, what, the line underlined, and what to do', async () => {
  expect(await show(changed(['version: v1.34.2', 'version： v1.34.2']))).toBe(
    [
      'cluster.yaml:14:12: error KX2101: a full-width colon follows "version"',
      '  14 |     version： v1.34.2',
      '     |            ^^',
      '  fix: Type a half-width colon and a space: version: …',
    ].join('\n'),
  );
});

test('in Chinese', async () => {
  expect(await show(changed(['version: v1.34.2', 'version： v1.34.2']), 'zh')).toBe(
    [
      'cluster.yaml:14:12: 错误 KX2101: "version" 后面是全角冒号',
      '  14 |     version： v1.34.2',
      '     |            ^^',
      '  修复: 请改为半角冒号加空格：version: …',
    ].join('\n'),
  );
});

test('underlines stand under what they mean, whatever the width of the characters before', async () => {
  const shown = await show(
    changed(['{name: node1, address: 172.16.0.2}', '{name: 主机一号, address: 172.16.0.2, prot: 22}']),
  );
  const lines = shown.split('\n');
  const i = lines.findIndex((line) => line.includes('KX2201'));
  const [text = '', marks = ''] = lines.slice(i + 1);
  const start = textWidth(marks.slice(0, marks.indexOf('^')));
  expect(textWidth(text.slice(0, text.indexOf('prot')))).toBe(start);
  expect(marks.trimEnd().endsWith('^^^^')).toBe(true);
});

test('both places of a clash are shown', async () => {
  const shown = await show(changed(['name: node2', 'name: node1']));
  expect(shown).toContain('cluster.yaml:8:14: error KX2401: two hosts are named node1');
  expect(shown).toContain('see also cluster.yaml:7:14');
  expect(shown.match(/\^\^\^\^\^/g)?.length).toBeGreaterThanOrEqual(2);
});

test('colours only where they are wanted', async () => {
  const text = changed(['kind: Cluster', 'kind: cluster']);
  expect(await show(text)).not.toContain('\u001b');
  expect(await show(text, 'en', true)).toContain('\u001b[31;1merror KX2211\u001b[0m');
});

test('a terminal is not made to obey the file', async () => {
  const shown = await show(changed(['name: demo', 'name: "\u001b]0;owned\u0007\u202e"']));
  expect(shown).not.toMatch(/[\u001b\u0007\u202e]/);
  expect(shown).toContain('<U+001B>');
});

test('of a long line only the part around the problem is shown', async () => {
  const shown = await show(
    BASE.replace('name: demo', `name: demo # ${'x'.repeat(100_000)}`).replace(
      'kind: Cluster',
      `${' '.repeat(0)}kind: "${'y'.repeat(5000)}"`,
    ),
  );
  for (const line of shown.split('\n')) expect(line.length).toBeLessThan(700);
});

test('widths', () => {
  expect(textWidth('abc')).toBe(3);
  expect(textWidth('全角：')).toBe(6);
  expect(textWidth('e\u0301')).toBe(1);
  expect(textWidth('\u200b')).toBe(0);
  expect(textWidth('𠮷😀')).toBe(4);
});
