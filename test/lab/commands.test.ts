import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cli, type Ended } from '../cli/rig/cli.ts';
import { describeLab, labEnv, removeEnv } from './fixture.ts';

describeLab('lab commands', () => {
  let state: string;
  let env: NodeJS.ProcessEnv;
  let created: Ended;
  const kubexm = (...args: string[]) => cli(args, { env, cwd: state });

  beforeAll(async () => {
    env = labEnv();
    state = env['XDG_STATE_HOME']!;
    created = await kubexm(
      'lab',
      'create',
      'kxcli',
      '--machines',
      '2',
      '--user',
      'admin',
      '--sudo-password',
      '-o',
      'json',
    );
  }, 600_000);

  afterAll(() => removeEnv(env));

  test('create: machines on stdout, what to do next on stderr, the password in a file alone', () => {
    expect(created).toMatchObject({ code: 0 });
    const [lab] = JSON.parse(created.stdout) as { machines: { name: string; sudoPasswordFile: string }[] }[];
    expect(lab?.machines.map(({ name }) => name)).toEqual(['kxcli-1', 'kxcli-2']);
    const file = lab?.machines[0]?.sudoPasswordFile ?? '';
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const password = readFileSync(file, 'utf8').trim();
    expect(password.length).toBeGreaterThan(15);
    expect(created.stdout + created.stderr).not.toContain(password);
    expect(created.stderr).toContain('kubexm lab ssh kxcli-1');
  });

  test('list: a line per machine', async () => {
    const { stdout } = await kubexm('lab', 'list');
    expect(stdout).toMatch(/^MACHINE .*\nkxcli-1 +kxcli +running +10\..*\nkxcli-2 .*\n$/);
    expect(await kubexm('lab', 'list', '-o', 'name')).toMatchObject({ stdout: 'kxcli-1\nkxcli-2\n' });
  });

  test('run command --lab: all machines, as root by sudo; nothing of it outside of the lab', async () => {
    const ran = await kubexm('run', 'command', '--lab', 'kxcli', '-o', 'json', '--', 'id -un; uname -n');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain('root\\nkxcli-2\\n');
    expect((await kubexm('get', 'runs', '--lab', 'kxcli', '-o', 'name')).stdout.trim().split('\n')).toHaveLength(1);
    expect(existsSync(join(state, '.kubexm'))).toBe(false);
    expect((await kubexm('validate', 'config', '--lab', 'kxcli', '-o', 'name')).stdout).toBe('kxcli\n');
  });

  test('ssh: a command, its output and its failure; completion knows the machines', async () => {
    expect(await kubexm('lab', 'ssh', 'kxcli-2', '--', 'uname', '-n')).toMatchObject({ code: 0, stdout: 'kxcli-2\n' });
    expect(await kubexm('lab', 'ssh', 'kxcli-2', '--', 'exit 3')).toMatchObject({ code: 1 });
    expect((await kubexm('complete', '--', 'lab', 'ssh', '')).stdout).toContain('kxcli-1');
    expect((await kubexm('complete', '--', 'run', 'command', '--lab', 'kx')).stdout).toContain('kxcli');
  });

  test('diff: nothing, then something, with exit codes for scripts', async () => {
    const diff = (...more: string[]) =>
      kubexm('lab', 'diff', 'kxcli-1', '--ignore-remains', '--detailed-exitcode', ...more);
    const none = await diff();
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toContain('Nothing differs');
    await kubexm('run', 'command', '--lab', 'kxcli', '--nodes', 'kxcli-1', '--', 'mkdir /etc/kx; echo a >/etc/kx/a');
    const some = await diff();
    expect(some).toMatchObject({ code: 2 });
    expect(some.stdout).toMatch(/added +file +\/etc\/kx +type directory, mode 0700, owner 0:0, and 1 below it/);
    const json = JSON.parse((await diff('-o', 'json')).stdout) as { machine: string; differences: { key: string }[] };
    expect(json.machine).toBe('kxcli-1');
    expect(json.differences.map(({ key }) => key)).toEqual(['/etc/kx', '/etc/kx/a']);
    await kubexm('run', 'command', '--lab', 'kxcli', '--nodes', 'kxcli-1', '--', 'rm -r /etc/kx');
    expect(await diff()).toMatchObject({ code: 0 });
  });

  test('partition, cut, start by the name of the lab', async () => {
    expect(await kubexm('lab', 'partition', 'kxcli-1')).toMatchObject({ code: 0 });
    expect((await kubexm('lab', 'list')).stdout).toContain('cut off');
    expect(await kubexm('lab', 'heal', 'kxcli-1')).toMatchObject({ code: 0 });
    expect(await kubexm('lab', 'cut', 'kxcli')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('kxcli-1, kxcli-2'),
    });
    expect(await kubexm('lab', 'ssh', 'kxcli-1', '--', 'true')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('KX6014'),
    });
    expect(await kubexm('lab', 'start', 'kxcli')).toMatchObject({ code: 0 });
    expect(await kubexm('run', 'command', '--lab', 'kxcli', '--', 'true')).toMatchObject({ code: 0 });
  });

  test('delete: no file is left, and again is no error', async () => {
    expect(await kubexm('lab', 'delete', 'kxcli')).toMatchObject({ code: 0, stdout: '' });
    expect(existsSync(join(state, 'kubexm', 'labs'))).toBe(false);
    expect(await kubexm('lab', 'delete', 'kxcli')).toMatchObject({ code: 0 });
    expect(await kubexm('lab', 'list', '-o', 'json')).toMatchObject({ stdout: '[]\n' });
  });
});
