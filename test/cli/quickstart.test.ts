import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, cli, tempDir } from './rig/cli.ts';

async function quickstart(args: readonly string[], cwd = tempDir(), how = call) {
  const home = tempDir();
  return how(['quickstart', ...args], { cwd, env: { HOME: home, XDG_STATE_HOME: join(home, 'state') } });
}

describe('quickstart, before it does anything', () => {
  test.each([
    [['--delete', '--nodes', '3'], 64, 'KX1008'],
    [['--delete', '--kubernetes', '1.34'], 64, 'KX1008'],
    [['--nodes', '0'], 64, 'KX1006'],
    [['--kubernetes', '1.9'], 64, 'KX1006'],
    [['--kubernetes', 'newest'], 64, 'KX1006'],
  ])('%j is refused', async (args, code, error) => {
    const cwd = tempDir();
    const ended = await quickstart(args, cwd);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(error);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('there is nothing to delete', async () => {
    expect((await quickstart(['--delete', '--yes'], tempDir(), cli)).stderr).toBe('There is no quickstart cluster.\n');
    expect(await quickstart(['--delete', '--lang', 'zh'])).toMatchObject({ code: 0, stderr: '没有快速体验集群。\n' });
  });

  test('a cluster of the same name that somebody else made is left alone', async () => {
    const cwd = tempDir();
    const pki = join(cwd, '.kubexm', 'quickstart', 'certs');
    mkdirSync(pki, { recursive: true });
    for (const args of [[], ['--delete', '--yes']]) {
      const ended = await quickstart(args, cwd);
      expect(ended.code).toBe(64);
      expect(ended.stderr).toContain('KX6632');
    }
    expect(existsSync(pki)).toBe(true);
  });
});
