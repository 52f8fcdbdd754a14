import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contextsFile, readContexts, recordContext, useContext } from './contexts.ts';

let home: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'kubexm-contexts-'));
  env = { KUBEXM_HOME: home };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const context = (name: string) => ({ name, configFile: `/srv/${name}.yaml`, baseDir: '/srv' });

test('the first cluster becomes the current one, later ones do not', () => {
  recordContext(env, context('b'));
  recordContext(env, context('a'));
  expect(readContexts(env)).toEqual({ current: 'b', contexts: [context('a'), context('b')] });
  expect(useContext(env, 'a').current).toBe('a');
  expect(statSync(contextsFile(env)).mode & 0o777).toBe(0o600);
});

test('a cluster that is known like this is not written again; one that has moved is', () => {
  recordContext(env, context('prod'));
  const before = statSync(contextsFile(env)).ino;
  recordContext(env, context('prod'));
  expect(statSync(contextsFile(env)).ino).toBe(before);
  recordContext(env, { ...context('prod'), baseDir: '/home' });
  expect(readContexts(env).contexts).toEqual([{ ...context('prod'), baseDir: '/home' }]);
});

test('an unknown name is refused with the known ones, and nothing is lost', () => {
  recordContext(env, context('prod'));
  expect(() => useContext(env, 'pord')).toThrow(expect.objectContaining({ code: 'KX4022' }));
  expect(readContexts(env).current).toBe('prod');
});

test('a damaged file is named', () => {
  writeFileSync(contextsFile(env), 'contexts: 1\n');
  expect(() => readContexts(env)).toThrow(contextsFile(env));
});

test('processes that write at the same time are all remembered', { timeout: 60_000 }, async () => {
  const module = fileURLToPath(new URL('./contexts.ts', import.meta.url));
  const code = (name: string) =>
    `import { recordContext } from ${JSON.stringify(module)};` +
    `for (let i = 0; i < 20; i++) recordContext(process.env, { name: '${name}' + i, configFile: 'c', baseDir: 'b' });`;
  const names = ['a', 'b', 'c'];
  const run = promisify(execFile);
  await Promise.all(
    names.map((name) =>
      run(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code(name)], {
        env: { ...process.env, ...env },
      }),
    ),
  );
  expect(readContexts(env).contexts).toHaveLength(60);
});
