import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { compiled } from '../../rig/programs.ts';
import { tempDir } from './cli.ts';

/** Why there can be no terminal here. */
export const noTerminal = spawnSync('tmux', ['-V']).status === 0 ? undefined : 'needs tmux';

/** A real terminal of a size, in which a command runs. */
export function terminal(columns: number, rows: number, command: string) {
  const dir = tempDir();
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-f', '/dev/null', '-S', join(dir, 'socket'), ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...compiled() },
    });
  tmux(
    'new-session',
    '-d',
    '-x',
    String(columns),
    '-y',
    String(rows),
    `LANG=C.UTF-8; export LANG; ${command}; sleep 60`,
  );
  onTestFinished(() => void tmux('kill-server'));
  const screen = (...args: string[]) =>
    tmux('capture-pane', '-p', ...args)
      .trimEnd()
      .split('\n');
  return {
    tmux,
    screen,
    cursorShown: () => tmux('display-message', '-p', '#{cursor_flag}').trim() === '1',
    /** Waits until the screen shows a text. */
    async until(text: string): Promise<string[]> {
      for (const end = Date.now() + 20_000; Date.now() < end; await delay(120)) {
        const now = screen();
        if (now.join('\n').includes(text)) return now;
      }
      throw new Error(`the screen never showed ${text}:\n${screen().join('\n')}`);
    },
  };
}
