import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordContext } from '../../src/index.ts';
import { cli, MAIN, plainEnv, tempDir } from './rig/cli.ts';

/** What bash itself would offer at the end of a line, with `kubexm` in its path and the script sourced. */
function inBash(cwd: string, line: string, env: NodeJS.ProcessEnv = {}): string[] {
  const bin = join(cwd, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'kubexm'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(join(bin, 'kubexm'), 0o755);
  const script = `
    source <(kubexm completion bash); source <(kubexm completion bash)
    COMP_LINE=$1; COMP_POINT=\${#1}
    # The words as readline breaks them: = and : are words of their own.
    read -ra COMP_WORDS <<<"$(sed -E 's/([=:])/ \\1 /g' <<<"$1")"
    [[ $1 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    compopt() { echo "option:$*"; }
    __kubexm_complete
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', line], {
    cwd,
    env: { ...plainEnv(env), PATH: `${bin}:${process.env['PATH']}` },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((one) => one !== '');
}

test('bash completes commands, flags and choices', () => {
  const cwd = tempDir();
  expect(inBash(cwd, 'kubexm ge')).toEqual(['generate', 'get']);
  expect(inBash(cwd, 'kubexm get ')).toEqual(['clusters', 'nodes', 'artifacts', 'runs', 'events', 'metrics']);
  expect(inBash(cwd, 'kubexm get runs --l')).toEqual(['--lab', '--limit', '--lang']);
  expect(inBash(cwd, 'kubexm get runs -o ')).toEqual(['table', 'wide', 'json', 'yaml', 'name']);
  expect(inBash(cwd, 'kubexm get runs --output=j')).toEqual(['json']);
  expect(inBash(cwd, 'kubexm completion ')).toEqual(['bash', 'zsh', 'fish']);
});

test('bash completes what the machine knows: hosts of the file, contexts, codes', async () => {
  const cwd = tempDir();
  const env = { KUBEXM_HOME: join(cwd, 'home') };
  await cli(['generate', 'config', '--nodes', '3', '-o', 'c.yaml'], { cwd });
  recordContext(env, { name: 'prod', configFile: join(cwd, 'c.yaml'), baseDir: cwd });
  expect(inBash(cwd, 'kubexm run command -f c.yaml --nodes node1,node')).toEqual([
    'option:-o nospace',
    'node1,node2',
    'node1,node3',
  ]);
  expect(inBash(cwd, 'kubexm run command --nodes al', env)).toEqual(['option:-o nospace', 'all']);
  expect(inBash(cwd, 'kubexm config use-context p', env)).toEqual(['prod']);
  expect(inBash(cwd, 'kubexm describe cluster p', env)).toEqual(['prod']);
  expect(inBash(cwd, 'kubexm run task runtime/c')).toEqual(['runtime/containerd']);
  expect(inBash(cwd, 'kubexm create cluster -e kubernetes.maxP')).toEqual(['option:-o nospace', 'kubernetes.maxPods=']);
  expect(inBash(cwd, 'kubexm create cluster -e ssh.passw')).toEqual(['option:-o nospace']);
  expect(inBash(cwd, 'kubexm explain KX100')).toEqual(expect.arrayContaining(['KX1001', 'KX1009']));
});

test('bash completes files where a file is meant', () => {
  expect(inBash(tempDir(), 'kubexm validate config -f ')).toEqual(['option:-o default']);
});

test('what is broken is never shown while completing', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'c.yaml'), 'nonsense: [');
  const { code, stdout, stderr } = await cli(['complete', '--', 'run', 'command', '-f', 'c.yaml', '--nodes', ''], {
    cwd,
  });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: ':6\n', stderr: '' });
});

test('scripts for zsh and fish speak the same protocol', async () => {
  for (const [shell, text] of [
    ['zsh', '#compdef kubexm'],
    ['fish', 'complete -c kubexm'],
  ] as const) {
    const { code, stdout } = await cli(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain(text);
    expect(stdout).toContain('kubexm complete -- ');
  }
});

test('descriptions come in the reader’s language', async () => {
  const { stdout } = await cli(['complete', '--', 'vers'], { env: { LANG: 'zh_CN.UTF-8' } });
  expect(stdout).toBe('version\t显示 kubexm 的版本。\n:4\n');
});
