import { expect, test } from 'vitest';
import { commands } from '../commands/index.ts';
import { addRunOptions } from '../run-options.ts';
import { speaker } from '../texts/index.ts';
import { complete, type ValueSource } from './candidates.ts';

const known: ValueSource = async (kind) => {
  const values: Record<string, string[]> = {
    node: ['all', 'node1', 'node2', 'etcd'],
    run: ['r1', 'r2'],
    context: ['prod'],
    field: ['kubernetes.version='],
  };
  return (values[kind] ?? []).map((value) => ({ value, text: kind }));
};
const specs = [
  ...commands,
  addRunOptions({ path: 'create cluster', summary: 'cmd.version', examples: [], action: async () => 0 as const }),
];
const at = async (...words: string[]) => {
  const { candidates, files, noSpace } = await complete(words, specs, speaker('en'), known);
  return { values: candidates.map(({ value }) => value), files, noSpace };
};

test('commands and their second words', async () => {
  expect((await at('')).values).toContain('get');
  expect((await at('')).values).not.toContain('complete');
  expect((await at('ge')).values).toEqual(['generate', 'get']);
  expect((await at('get', '')).values).toEqual([
    'clusters',
    'nodes',
    'kubeconfig',
    'artifacts',
    'runs',
    'events',
    'metrics',
  ]);
  expect((await at('config', 'use')).values).toEqual(['use-context']);
});

test('a group and a command both say what they are for', async () => {
  const { candidates } = await complete([''], specs, speaker('zh'), known);
  expect(candidates.find(({ value }) => value === 'get')?.text).toBe('列出 kubexm 已知的内容。');
  expect(candidates.find(({ value }) => value === 'version')?.text).toBe('显示 kubexm 的版本。');
});

test('flags, but none twice', async () => {
  expect((await at('get', 'runs', '--l')).values).toEqual(['--lab', '--limit', '--lang']);
  expect((await at('get', 'runs', '--limit', '3', '--l')).values).toEqual(['--lab', '--lang']);
  expect((await at('get', 'runs', '-')).values).toEqual(expect.arrayContaining(['-o', '--output', '-f', '-v']));
});

test('values of flags: choices, behind = too', async () => {
  expect((await at('get', 'runs', '-o', 'j')).values).toEqual(['json']);
  expect((await at('get', 'runs', '--output=j')).values).toEqual(['json']);
  expect((await at('--lang', '')).values).toEqual(['en', 'zh']);
});

test('values that only the machine knows', async () => {
  expect((await at('describe', 'run', '')).values).toEqual(['r1', 'r2']);
  expect((await at('config', 'use-context', 'p')).values).toEqual(['prod']);
  expect((await at('create', 'cluster', '--resume', 'r')).values).toEqual(['r1', 'r2']);
});

test('a flag whose value may be left out does not eat the next flag', async () => {
  expect((await at('create', 'cluster', '--resume', '--dry')).values).toEqual(['--dry-run']);
  expect((await at('create', 'cluster', '--resume', '-o', 'l')).values).toEqual(['live']);
});

test('lists go on behind a comma, without a space', async () => {
  expect(await at('run', 'command', '--nodes', 'node1,n')).toEqual({
    values: ['node1,node2'],
    files: false,
    noSpace: true,
  });
});

test('a field goes on with its value, and may be given again', async () => {
  expect(await at('run', 'task', 'x', '-e', 'k')).toEqual({
    values: ['kubernetes.version='],
    files: false,
    noSpace: true,
  });
  expect((await at('run', 'task', 'x', '-e', 'a=b', '--extra')).values).toEqual(['--extra-vars']);
  expect((await at('run', 'task', 'x', '--t')).values).toEqual([]);
});

test('files are left to the shell', async () => {
  expect((await at('validate', 'config', '-f', '')).files).toBe(true);
  expect((await at('run', 'command', '--nodes', 'all', '--', 'ls', '')).files).toBe(true);
});

test('where nothing fits, nothing is offered', async () => {
  expect(await at('describe', 'run', 'r1', '')).toEqual({ values: [], files: false, noSpace: false });
  expect((await at('nonsense', '')).values.length).toBeGreaterThan(0);
});
