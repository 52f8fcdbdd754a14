import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../src/model/errors/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = ['src/model/errors', 'src/model/text', 'data/errors', 'scripts/check-errors.mjs', 'package.json'];

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'kubexm-errors-'));
  for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true });
  writeFileSync(join(copy, 'src/uses.ts'), Object.keys(catalogue).join('\n'));
});
afterAll(() => rmSync(copy, { recursive: true }));

function check(at: string) {
  const { status, stderr } = spawnSync(process.execPath, [join(at, 'scripts/check-errors.mjs')], { encoding: 'utf8' });
  const problems = stderr.split('\n').filter((line) => /^(data|src)\//.test(line));
  return { status, problems };
}

/** Changes a file of the copy for the time of a check. */
function checkWith(name: string, change: (text: string) => string) {
  const file = join(copy, name);
  const text = readFileSync(file, 'utf8');
  const changed = change(text);
  expect(changed).not.toBe(text);
  writeFileSync(file, changed);
  try {
    return check(copy).problems;
  } finally {
    writeFileSync(file, text);
  }
}

test('the catalogue and its texts agree', () => {
  expect(check(root)).toEqual({ status: 0, problems: [] });
  expect(check(copy)).toEqual({ status: 0, problems: [] });
});

test.each([
  [
    'a text uses a parameter that nobody declares',
    'data/errors/run.json',
    (text: string) => text.replace('step {node} failed: {reason}', 'step {node} failed: {cause}'),
    'data/errors/run.json: KX4002 (en) uses {cause} {node}, declared is {node} {reason}',
  ],
  [
    'the Chinese text lacks one',
    'data/errors/run.json',
    (text: string) => text.replace('步骤 {node} 失败：{reason}', '步骤 {node} 失败'),
    'data/errors/run.json: KX4002 (zh) uses {node}, declared is {node} {reason}',
  ],
  [
    'a declared parameter is in no text',
    'src/model/errors/run.ts',
    (text: string) => text.replace("KX4002: code(1, 'node', 'reason')", "KX4002: code(1, 'node', 'reason', 'host')"),
    'data/errors/run.json: KX4002 (en) uses {node} {reason}, declared is {host} {node} {reason}',
  ],
  [
    'a code has no texts',
    'src/model/errors/usage.ts',
    (text: string) => text.replace(/^ {2}KX1001:/m, '  KX1999: code(1),\n$&'),
    'src/model/errors: KX1999 has no texts in data/errors',
  ],
  [
    'texts belong to no code',
    'data/errors/run.json',
    (text: string) => text.replace('"KX4002"', '"KX4999"'),
    'data/errors/run.json: KX4999 is not declared in src/model/errors, or its file is not in texts.ts',
  ],
  [
    'a code is used nowhere',
    'src/uses.ts',
    (text: string) => text.replace('KX4002\n', ''),
    'src/model/errors: KX4002 is used nowhere',
  ],
  [
    'a language is empty',
    'data/errors/run.json',
    (text: string) => text.replace('"执行计划无效：{detail}"', '""'),
    'data/errors/run.json: KX4001 has no zh title or remedy',
  ],
])('%s', (_, name, change, problem) => {
  expect(checkWith(name, change)).toContain(problem);
});
