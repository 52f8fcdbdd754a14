import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { program } from '../rig/programs.ts';
import { noTerminal as problem, terminal } from './rig/terminal.ts';

const play = (hosts: number, lang: string, seconds: number) =>
  `'${process.execPath}' '${program('play-view')}' ${hosts} ${lang} ${seconds}`;
const steady = (lines: readonly string[]) =>
  lines.map((line) => line.replaceAll(/\d+ (?:s|秒)\b/g, (text) => text.replace(/\d+/, 'N')));

/** How wide the frames on the screen are. */
const frames = (lines: readonly string[]) =>
  lines.filter((line) => /^create cluster prod .* s of about/.test(line)).map((line) => line.length);

describe.skipIf(problem)(`the live view in a real terminal${problem ? ` (${problem})` : ''}`, () => {
  test('shows the run, keeps messages above it, and leaves nothing behind', async () => {
    const { until, screen, cursorShown } = terminal(100, 24, play(3, 'en', 0.6));
    const lines = await until('KX4002');
    expect(lines[0]).toBe('集群证书已生成 · certificates are in .kubexm/prod/certs');
    expect(lines[1]).toMatch(/^create cluster prod +\d+ s of about 1 min 35 s$/);
    expect(lines.some((line) => /^ {4}node1 {2}download .* 6 % +\d+ s$/.test(line))).toBe(true);
    expect(cursorShown()).toBe(false);
    await until('Ctrl-C again');
    const end = await until('the end');
    expect(end).toEqual(['集群证书已生成 · certificates are in .kubexm/prod/certs', 'the end']);
    expect(screen('-S', '-')).toEqual(end);
    expect(cursorShown()).toBe(true);
  });

  test('in Chinese, columns stay columns', async () => {
    const { until } = terminal(100, 24, play(3, 'zh', 2));
    const lines = steady(await until('KX4002'));
    expect(lines.slice(1)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^✗ node3 {2}KX4002 步骤 etcd\/install\/unit@node3 失败/)]),
    );
  });

  test('follows the size of the window', async () => {
    const { tmux, until, screen } = terminal(100, 30, play(3, 'en', 20));
    const settles = async (width: number) => {
      await expect.poll(() => frames(screen())).toEqual([width]);
      // And it stays so.
      await delay(150);
      expect(frames(screen())).toEqual([width]);
    };
    await until('KX4002');
    // Narrower: the terminal breaks the lines that it shows.
    tmux('resize-window', '-x', '80', '-y', '30');
    await settles(80);
    tmux('resize-window', '-x', '120', '-y', '30');
    await settles(120);
    tmux('resize-window', '-x', '60', '-y', '12');
    await settles(60);
    expect(screen().join('\n')).toContain('✗ node3');
  });

  test('two thousand hosts stay readable', async () => {
    const { until } = terminal(100, 24, play(2000, 'en', 5));
    const lines = await until('1999 hosts: node1, node2, node3');
    expect(lines.length).toBeLessThanOrEqual(24);
  });
});

const ask = (kind: string, ...flags: string[]) =>
  `'${process.execPath}' '${program('ask')}' ${[kind, ...flags].join(' ')}`;

describe.skipIf(problem)(`questions in a real terminal${problem ? ` (${problem})` : ''}`, () => {
  test('the name of the cluster has to be typed exactly', async () => {
    const { tmux, until } = terminal(80, 20, `${ask('name')}; ${ask('name')}`);
    await until('Type the name of the cluster, prod');
    tmux('send-keys', 'prdo', 'Enter');
    await until('KX1042 prdo is not the name of the cluster');
    await until('│  _');
    tmux('send-keys', 'prod', 'Enter');
    await until('the end');
  });

  test('a secret is not shown, yes and no are in the reader’s language, Ctrl-C declines', async () => {
    const { tmux, until, screen } = terminal(
      80,
      24,
      `${ask('secret')} >/dev/null; ${ask('confirm', '--lang', 'zh')}; ${ask('text')}`,
    );
    await until('Go on?');
    tmux('send-keys', 's3cret');
    await until('▪▪▪▪▪▪');
    expect(screen().join('\n')).not.toContain('s3cret');
    tmux('send-keys', 'Enter');
    await until('否');
    tmux('send-keys', 'Left', 'Enter');
    await until('answer: yes');
    await until('│  _');
    tmux('send-keys', 'C-c');
    await until('exit 130');
  });

  test('--yes answers, --no-input refuses', async () => {
    const { until } = terminal(80, 20, `${ask('confirm', '--yes')}; ${ask('text', '--no-input')}`);
    await until('answer: yes');
    await until('KX1040');
  });
});
