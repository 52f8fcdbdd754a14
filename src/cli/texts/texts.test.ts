import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { en } from './en.ts';
import { countText, langOf, speaker, type TextKey } from './index.ts';
import { zh } from './zh.ts';

const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
const keys = Object.keys(en) as TextKey[];

test.each(keys)('%s has the same parameters in both languages', (key) => {
  expect(placeholders(zh[key])).toEqual(placeholders(en[key]));
});

test('every Chinese text is Chinese', () => {
  const english = keys.filter(
    (key) => /[a-z]{4}/.test(en[key].replaceAll(/\{\w+\}/g, '')) && !/[\u4e00-\u9fff]/.test(zh[key]),
  );
  expect(english).toEqual([]);
});

// Named by something else: an exit code, a group of commands, how a step or a run ended, how many.
const COMPUTED = /^(?:artifact|cluster|node|exit|group|outcome|run)\.|\.(?:one|many)$/;

test('every text is said somewhere', () => {
  const cli = join(import.meta.dirname, '..');
  const files = globSync('**/*.ts', { cwd: cli }).filter((file) => !/texts\/(?:en|zh)|\.test\.ts$/.test(file));
  const source = files.map((file) => readFileSync(join(cli, file), 'utf8')).join('\n');
  expect(keys.filter((key) => !COMPUTED.test(key) && !source.includes(`'${key}'`))).toEqual([]);
});

test('says a text with its parameters', () => {
  expect(speaker('en')('retryIn', { attempt: 2, seconds: 5, reason: 'busy' })).toBe('attempt 2 in 5 s: busy');
  expect(countText(speaker('en'), 'host', 1)).toBe('1 host');
  expect(countText(speaker('zh'), 'host', 5)).toBe('5 台主机');
});

test.each([
  [undefined, {}, 'en'],
  [undefined, { LANG: 'zh_CN.UTF-8' }, 'zh'],
  [undefined, { LANG: 'zh_CN.UTF-8', LC_ALL: 'C' }, 'en'],
  [undefined, { LANG: 'C', LC_ALL: 'zh_TW' }, 'zh'],
  ['en', { LANG: 'zh_CN.UTF-8' }, 'en'],
  ['zh', {}, 'zh'],
])('--lang %s with %j speaks %s', (flag, env, lang) => {
  expect(langOf(flag, env)).toBe(lang);
});
