import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { commands } from '../../src/cli/commands/index.ts';
import { helpText } from '../../src/cli/help.ts';
import { makeIo } from '../../src/cli/io.ts';
import { isText } from '../../src/cli/texts/index.ts';
import { call, cli, plainEnv } from './rig/cli.ts';

function ioIn(lang: string) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const flags = { lang, noColor: true, noInput: true, yes: false, debug: false };
  return makeIo({ ...streams, env: plainEnv(), cwd: '/' }, flags);
}

const groups = [...new Set(commands.map((spec) => spec.path.split(' ').slice(0, -1).join(' ')))];
const paths = [...groups, ...commands.filter((spec) => !spec.hidden).map((spec) => spec.path)];

test.each(paths)('help of kubexm %s', (path) => {
  expect(helpText(path, commands, ioIn('en'))).toMatchSnapshot('en');
  expect(helpText(path, commands, ioIn('zh'))).toMatchSnapshot('zh');
});

test('every group says what it is for', () => {
  expect(groups.filter((path) => !isText(`group.${path || 'kubexm'}`))).toEqual([]);
});

test('every command has examples that begin with itself', () => {
  for (const spec of commands.filter((one) => !one.hidden)) {
    expect(spec.examples.length, spec.path).toBeGreaterThan(0);
    for (const { line } of spec.examples) expect(line, spec.path).toContain(`kubexm ${spec.path}`);
  }
});

test('every example is understood', async () => {
  const { buildProgram } = await import('../../src/cli/program.ts');
  for (const spec of commands) {
    for (const { line } of spec.examples) {
      const typed = line.replace(/^source <\((.*)\)$/, '$1').replace(/^\w+=\S+ | > .*$/g, '');
      const words = [...typed.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '').slice(1);
      let called = '';
      const only = commands.map((one) => ({
        ...one,
        action: async () => {
          called = one.path;
          return 0 as const;
        },
      }));
      await buildProgram(only, ioIn('en'), words, () => undefined).parseAsync(words, { from: 'user' });
      expect(called, line).toBe(spec.path);
    }
  }
});

test.each([
  [['--help'], 'Commands'],
  [['help'], 'Commands'],
  [[], 'Commands'],
  [['help', 'get', 'runs'], 'kubexm get runs [options]'],
  [['get', 'runs', '-h'], 'kubexm get runs [options]'],
  [['get', '--help'], 'get events'],
])('kubexm %j shows help on stdout and ends with 0', async (args, text) => {
  const { code, stdout, stderr } = await call(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(text);
});

test('a group without a command shows its help on stderr: nothing was done', async () => {
  const { code, stdout, stderr } = await cli(['get']);
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
  expect(stderr).toContain('get runs');
});

test('help and version load neither the library nor prompts: only what main imports at once', () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file) || file.endsWith('.json')) return;
    seen.add(file);
    for (const [, clause = '', from = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export) ([^;]*?) from '([^']+)'/gms,
    )) {
      if (clause.startsWith('type ')) continue;
      if (from.startsWith('.')) visit(resolve(dirname(file), from));
      else if (!from.startsWith('node:')) packages.add(from);
    }
  };
  visit(join(import.meta.dirname, '../../src/cli/main.ts'));
  expect(seen.size).toBeGreaterThan(30);
  expect([...packages]).toEqual(['commander']);
  const light = [join('src', 'cli'), join('src', 'model', 'text'), 'nearest.ts'];
  expect([...seen].filter((file) => !light.some((part) => file.includes(part)))).toEqual([]);
});
