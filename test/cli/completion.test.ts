import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { readFile, writeFile as writeFileLater } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { recordContext } from '../../src/index.ts';
import { some } from '../rig/thorough.ts';
import { call, MAIN, plainEnv, tempDir } from './rig/cli.ts';

/** Sent by the test when bash is done. */
const END = 'end';

/**
 * What bash itself would offer at the end of each line, with `kubexm` in its path and the script sourced, twice. That is a real
 * process, or one that has its answers from this one: starting each costs more than all the rest.
 */
async function inBash(
  cwd: string,
  lines: readonly string[],
  options: { env?: NodeJS.ProcessEnv; real?: boolean } = {},
): Promise<readonly (readonly string[])[]> {
  const { env = {}, real = false } = options;
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  const [asked, answer] = [join(bin, 'asked'), join(bin, 'answer')] as const;
  execFileSync('mkfifo', [asked, answer]);
  const relayed = `printf '%s\\n' "$@" >'${asked}'\nexec cat '${answer}'\n`;
  const started = `exec "${process.execPath}" "${MAIN}" "$@"\n`;
  writeFileSync(join(bin, 'kubexm'), `#!/bin/sh\n${real ? started : relayed}`);
  chmodSync(join(bin, 'kubexm'), 0o755);
  const answering = (async () => {
    for (let words = await readFile(asked, 'utf8'); words !== END; words = await readFile(asked, 'utf8')) {
      const said = await call(words.split('\n').slice(0, -1), { cwd, env });
      expect(said).toMatchObject({ code: 0, stderr: '' });
      await writeFileLater(answer, said.stdout);
    }
  })();
  const script = `
    source <(kubexm completion bash); source <(kubexm completion bash)
    compopt() { echo "option:$*"; }
    for line; do
      COMPREPLY=()
      COMP_LINE=$line; COMP_POINT=\${#line}
      # The words as readline breaks them: = and : are words of their own.
      read -ra COMP_WORDS <<<"$(sed -E 's/([=:])/ \\1 /g' <<<"$line")"
      [[ $line == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      __kubexm_complete
      printf '%s\\n' "\${COMPREPLY[@]}" '--'
    done`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', script, 'bash', ...lines], {
    cwd,
    env: { ...plainEnv(env), PATH: `${bin}:${process.env['PATH']}` },
    encoding: 'utf8',
  });
  await Promise.all([writeFileLater(asked, END), answering]);
  expect(stderr).toBe('');
  return stdout
    .split('--\n')
    .slice(0, -1)
    .map((text) => text.split('\n').filter((one) => one !== ''));
}

test('bash completes commands, flags and choices, and files where a file is meant', async () => {
  const offered: readonly (readonly [string, readonly string[]])[] = [
    ['kubexm ge', ['generate', 'get']],
    ['kubexm get ', ['clusters', 'nodes', 'kubeconfig', 'artifacts', 'runs', 'events', 'metrics']],
    ['kubexm get runs --l', ['--lab', '--limit', '--lang']],
    ['kubexm get runs -o ', ['table', 'wide', 'json', 'yaml', 'name']],
    ['kubexm get runs --output=j', ['json']],
    ['kubexm completion ', ['bash', 'zsh', 'fish']],
    ['kubexm validate config -f ', ['option:-o default']],
  ];
  const lines = offered.map(([line]) => line);
  expect(await inBash(tempDir(), lines)).toEqual(offered.map(([, words]) => words));
  const [one] = some(offered, 1);
  expect(await inBash(tempDir(), [one![0]], { real: true })).toEqual([one![1]]);
});

test('bash completes what the machine knows: hosts of the file, contexts, codes', async () => {
  const cwd = tempDir();
  const env = { KUBEXM_HOME: join(cwd, 'home') };
  await call(['generate', 'config', '--nodes', '3', '-o', 'c.yaml'], { cwd });
  recordContext(env, { name: 'prod', configFile: join(cwd, 'c.yaml'), baseDir: cwd });
  const offered: readonly (readonly [string, readonly string[]])[] = [
    ['kubexm run command -f c.yaml --nodes node1,node', ['option:-o nospace', 'node1,node2', 'node1,node3']],
    ['kubexm run command --nodes al', ['option:-o nospace', 'all']],
    ['kubexm config use-context p', ['prod']],
    ['kubexm describe cluster p', ['prod']],
    ['kubexm run task runtime/c', ['runtime/containerd']],
    ['kubexm create cluster -e kubernetes.maxP', ['option:-o nospace', 'kubernetes.maxPods=']],
    ['kubexm create cluster -e ssh.passw', ['option:-o nospace']],
    ['kubexm explain KX100', expect.arrayContaining(['KX1001', 'KX1009'])],
  ];
  const lines = offered.map(([line]) => line);
  expect(await inBash(cwd, lines, { env })).toEqual(offered.map(([, words]) => words));
});

test('what is broken is never shown while completing', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'c.yaml'), 'nonsense: [');
  const { code, stdout, stderr } = await call(['complete', '--', 'run', 'command', '-f', 'c.yaml', '--nodes', ''], {
    cwd,
  });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: ':6\n', stderr: '' });
});

test('scripts for zsh and fish speak the same protocol', async () => {
  for (const [shell, text] of [
    ['zsh', '#compdef kubexm'],
    ['fish', 'complete -c kubexm'],
  ] as const) {
    const { code, stdout } = await call(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain(text);
    expect(stdout).toContain('kubexm complete -- ');
  }
});

test('descriptions come in the reader’s language', async () => {
  const { stdout } = await call(['complete', '--', 'vers'], { env: { LANG: 'zh_CN.UTF-8' } });
  expect(stdout).toBe('version\t显示 kubexm 的版本。\n:4\n');
});
