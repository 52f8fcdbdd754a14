import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { includeAptConfig, withAptConfig } from './apt-config.ts';
import { run } from './run.ts';

const SECRET = 'us-er:p%40ss';
const SETTINGS = [`Acquire::http::Proxy "http://${SECRET}@proxy.example:3128";`, 'Acquire::Retries "3";'];
const canMount = process.platform === 'linux' && process.getuid?.() === 0;
const ALONE = ['--mount', '--propagation', 'private'];

describe.runIf(canMount)(`settings of apt for a command${canMount ? '' : ' (needs the right to mount)'}`, () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'kubexm-apt-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  test('are in a private file that apt reads, and in no command line; its input is its own', async () => {
    const look = `stat -c %a "$1/apt.conf"; APT_CONFIG="$1/main" apt-config dump Acquire::http::Proxy; cat; cat /proc/$$/cmdline`;
    const script = `echo '${includeAptConfig(dir)}' >"$1/main"; ${look}`;
    const { command, input } = withAptConfig(dir, SETTINGS, ['sh', '-c', script, 'look', dir], 'Types: deb\n');
    expect(command.join(' ')).not.toContain('p%40ss');
    const { code, stdout } = await run('unshare', [...ALONE, ...command], { input });
    expect(code).toBe(0);
    expect(stdout).toContain(`600\nAcquire::http::Proxy "http://${SECRET}@proxy.example:3128";\nTypes: deb\nsh`);
    expect(stdout.split('Types: deb\n')[1]).not.toContain('p%40ss');
    expect(readdirSync(dir)).toEqual([]);
  });

  test('nobody else ever sees the file, also not after the command was killed', async () => {
    const { command, input } = withAptConfig(dir, SETTINGS, ['sh', '-c', 'echo there; exec sleep 60'], '');
    const child = spawn('unshare', [...ALONE, ...command], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(input);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    expect(readFileSync(`/proc/${child.pid}/root${dir}/apt.conf`, 'utf8')).toContain(SECRET);
    expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).not.toContain('p%40ss');
    expect(readdirSync(dir)).toEqual([]);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(readdirSync(dir)).toEqual([]);
    expect(existsSync(`/proc/${child.pid}/root`)).toBe(false);
  });
});
