import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { makeIo } from '../../src/cli/io.ts';
import { reportError } from '../../src/cli/report-error.ts';
import { call, cli, plainEnv, tempDir } from './rig/cli.ts';

test.each([
  [['gt'], 'KX1001', 'Did you mean get?'],
  [['get', 'rnus'], 'KX1001', 'Did you mean runs?'],
  [['get', 'zzzzzz'], 'KX1001', 'kubexm get --help'],
  [['get', 'runs', '--limt', '3'], 'KX1002', 'Did you mean --limit?'],
  [['version', '--colour'], 'KX1002', 'kubexm version --help'],
  [['describe', 'run'], 'KX1003', 'needs RUN'],
  [['version', 'now'], 'KX1004', 'now is too much'],
  [['get', 'runs', '-o'], 'KX1005', '--output needs a value'],
  [['get', 'runs', '-o', 'tabel'], 'KX1006', 'Did you mean table?'],
  [['get', 'runs', '--limit', 'many'], 'KX1006', 'invalid value many for --limit'],
  [['get', 'runs', '--limit', '0'], 'KX1006', 'invalid value 0'],
  [['completion', 'tcsh'], 'KX1006', 'bash, zsh, fish'],
  [['--lang', 'fr', 'version'], 'KX1006', 'en, zh'],
  [['get', 'events', '--since', 'yesterday'], 'KX1006', '2h'],
  [['get', 'events', '--type', 'node-started,node-fin'], 'KX1006', 'node-finished'],
  [['run', 'command', '--nodes', 'all'], 'KX1009', 'two dashes'],
  [['run', 'command', '--', 'uptime'], 'KX1007', '--nodes'],
  [['run', 'command', '--nodes', 'all', '--', 'uptime'], 'KX1020', 'use-context'],
  [['run', 'command', '-f', 'a', '-c', 'b', '--nodes', 'all', '--', 'x'], 'KX1008', 'only one'],
  [['run', 'command', '-c', 'nowhere', '--nodes', 'all', '--', 'x'], 'KX1021', 'nowhere'],
  [['config', 'use-context', 'nowhere'], 'KX1021', 'nowhere'],
  [['describe', 'run', 'last'], 'KX1022', 'get runs'],
  [['explain', 'KX9'], 'KX1024', 'kubexm explain'],
  [['explain', 'KX402'], 'KX1024', 'Did you mean KX'],
])('kubexm %j: %s', async (args, code, text) => {
  const ended = await call(args, { cwd: tempDir() });
  expect(ended.stdout).toBe('');
  expect(ended.code).toBe(64);
  expect(ended.stderr).toContain(`error ${code} `);
  expect(ended.stderr).toContain(text);
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  expect(ended.stderr).not.toMatch(/\{\w+\}/);
});

test('in Chinese: by the flag, and by the environment', async () => {
  const byFlag = await call(['get', 'rnus', '--lang', 'zh']);
  const byLang = await cli(['get', 'rnus'], { env: { LANG: 'zh_CN.UTF-8' } });
  expect(byFlag.stderr).toBe(
    '错误 KX1001 没有命令 kubexm get rnus\n  您是否想输入 runs？用 kubexm get --help 查看全部命令。\n',
  );
  expect(byLang).toEqual(byFlag);
});

test('colour only where it is wanted', async () => {
  const colour = (env: NodeJS.ProcessEnv, ...args: string[]) => call(['gt', ...args], { env });
  expect((await colour({})).stderr).not.toContain('\x1b');
  expect((await colour({ FORCE_COLOR: '1' })).stderr).toContain('\x1b[1;31merror');
  expect((await colour({ FORCE_COLOR: '1' }, '--no-color')).stderr).not.toContain('\x1b');
  expect((await colour({ NO_COLOR: '1' })).stderr).not.toContain('\x1b');
});

function fakeIo(env: NodeJS.ProcessEnv, debug = false) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const io = makeIo({ ...streams, env: plainEnv(env), cwd: '/' }, { noColor: true, noInput: true, yes: false, debug });
  return { io, said: () => String(streams.stderr.read() ?? '') };
}

test('a defect is one clear line with a code; the stack is kept in a private file', async () => {
  const dir = tempDir();
  const { io, said } = fakeIo({ KUBEXM_HOME: dir });
  expect(await reportError(new TypeError('x is not a function\nsecond line'), io)).toBe(1);
  const text = said();
  const [file = ''] = readdirSync(dir);
  expect(text).toMatch(/^error KX1099 internal error: TypeError: x is not a function\n {2}This is a defect/);
  expect(text).toContain(join(dir, file));
  expect(text).not.toMatch(/^\s+at /m);
  expect(readFileSync(join(dir, file), 'utf8')).toMatch(/^\s+at /m);
  expect(statSync(join(dir, file)).mode & 0o777).toBe(0o600);
});

test('with --debug the stack is shown', async () => {
  const { io, said } = fakeIo({ KUBEXM_HOME: tempDir() }, true);
  await reportError(new TypeError('x is not a function'), io);
  expect(said()).toMatch(/^\s+at /m);
});

test('where no file can be written a defect is reported all the same', async () => {
  const { io, said } = fakeIo({ KUBEXM_HOME: '/dev/null/nowhere' });
  expect(await reportError(new Error('odd'), io)).toBe(1);
  expect(said()).toContain('KX1099 internal error: odd');
});

test('what a host said cannot steer the terminal', async () => {
  const { KubexmError } = await import('../../src/index.ts');
  const { io, said } = fakeIo({});
  const detail = 'first\x1b[2J\nlast\x07';
  await reportError(new KubexmError('KX4002', { node: 'n', reason: 'a\x1b]0;x\x07b' }, { detail, host: 'node7' }), io);
  expect(said()).not.toMatch(/[\x1b\x07]/);
});

test('a contexts file that is no YAML is explained', async () => {
  const home = tempDir();
  writeFileSync(join(home, 'config'), 'contexts: [}');
  const { code, stderr } = await call(['config', 'get-contexts'], { env: { KUBEXM_HOME: home } });
  expect(code).toBe(64);
  expect(stderr).toContain('KX4021');
  expect(existsSync(join(home, 'config'))).toBe(true);
});
