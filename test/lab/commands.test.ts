import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cli, type Ended } from '../cli/rig/cli.ts';
import { describeLab, labEnv, removeEnv } from './fixture.ts';
import { type BoxState, boxState, NO_TRACES, tracesOf } from './world.ts';

/** Both machines' first words before either one's second. */
function interleaved(first: string, second: string): RegExp {
  return new RegExp(`${first}(?:(?!${second})[^])*${first}[^]*${second}[^]*${second}`);
}

describeLab('lab commands', () => {
  const name = `kx${process.pid}`;
  let before: BoxState;
  let state: string;
  let env: NodeJS.ProcessEnv;
  let created: Ended;
  const kubexm = (...args: string[]) => cli(args, { env, cwd: state });

  beforeAll(async () => {
    env = labEnv();
    state = env['XDG_STATE_HOME']!;
    before = boxState(name, state);
    created = await kubexm(
      'lab',
      'create',
      name,
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
    expect(lab?.machines.map(({ name }) => name)).toEqual([`${name}-1`, `${name}-2`]);
    const file = lab?.machines[0]?.sudoPasswordFile ?? '';
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // What is compared in the end does see a lab.
    const traces = tracesOf(name, state);
    expect(traces).toMatchObject({ links: [`kx-${name}`], boxRecord: true });
    expect(traces.processes.length).toBeGreaterThan(15);
    expect(traces.groups.length).toBeGreaterThan(3);
    expect(boxState(name, state).settings).not.toEqual(before.settings);
    const password = readFileSync(file, 'utf8').trim();
    expect(password.length).toBeGreaterThan(15);
    expect(created.stdout + created.stderr).not.toContain(password);
    expect(created.stderr).toContain(`kubexm lab ssh ${name}-1`);
  });

  test('list: a line per machine', async () => {
    const { stdout } = await kubexm('lab', 'list');
    expect(stdout).toMatch(new RegExp(`^MACHINE .*\\n${name}-1 +${name} +running +10\\..*\\n${name}-2 .*\\n$`));
    expect(await kubexm('lab', 'list', '-o', 'name')).toMatchObject({ stdout: `${name}-1\n${name}-2\n` });
  });

  test('run command --lab: all machines, as root by sudo; nothing of it outside of the lab', async () => {
    const ran = await kubexm('run', 'command', '--lab', name, '-o', 'json', '--', 'id -un; uname -n');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain(`root\\n${name}-2\\n`);
    expect((await kubexm('get', 'runs', '--lab', name, '-o', 'name')).stdout.trim().split('\n')).toHaveLength(1);
    expect(existsSync(join(state, '.kubexm'))).toBe(false);
    expect((await kubexm('validate', 'config', '--lab', name, '-o', 'name')).stdout).toBe(`${name}\n`);
  });

  test('ssh: a command, its output and its failure; completion knows the machines', async () => {
    expect(await kubexm('lab', 'ssh', `${name}-2`, '--', 'uname', '-n')).toMatchObject({
      code: 0,
      stdout: `${name}-2\n`,
    });
    expect(await kubexm('lab', 'ssh', `${name}-2`, '--', 'exit 3')).toMatchObject({ code: 1 });
    expect((await kubexm('complete', '--', 'lab', 'ssh', '')).stdout).toContain(`${name}-1`);
    expect((await kubexm('complete', '--', 'run', 'command', '--lab', 'kx')).stdout).toContain(name);
  });

  test('diff: nothing, then something, with exit codes for scripts', async () => {
    const diff = (...more: string[]) =>
      kubexm('lab', 'diff', `${name}-1`, '--ignore-remains', '--detailed-exitcode', ...more);
    const none = await diff();
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toContain('Nothing differs');
    await kubexm('run', 'command', '--lab', name, '--nodes', `${name}-1`, '--', 'mkdir /etc/kx; echo a >/etc/kx/a');
    const some = await diff();
    expect(some).toMatchObject({ code: 2 });
    expect(some.stdout).toMatch(/added +file +\/etc\/kx +type directory, mode 0700, owner 0:0, and 1 below it/);
    const json = JSON.parse((await diff('-o', 'json')).stdout) as { machine: string; differences: { key: string }[] };
    expect(json.machine).toBe(`${name}-1`);
    expect(json.differences.map(({ key }) => key)).toEqual(['/etc/kx', '/etc/kx/a']);
    await kubexm('run', 'command', '--lab', name, '--nodes', `${name}-1`, '--', 'rm -r /etc/kx');
    expect(await diff()).toMatchObject({ code: 0 });
  });

  test('partition, cut, start by the name of the lab', async () => {
    expect(await kubexm('lab', 'partition', `${name}-1`)).toMatchObject({ code: 0 });
    expect((await kubexm('lab', 'list')).stdout).toContain('cut off');
    expect(await kubexm('lab', 'heal', `${name}-1`)).toMatchObject({ code: 0 });
    expect(await kubexm('lab', 'cut', name)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`${name}-1, ${name}-2`),
    });
    expect(await kubexm('lab', 'ssh', `${name}-1`, '--', 'true')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('KX6014'),
    });
    expect(await kubexm('lab', 'start', name)).toMatchObject({ code: 0 });
    expect(await kubexm('run', 'command', '--lab', name, '--', 'true')).toMatchObject({ code: 0 });
  }, 120_000);

  test('stop, start and reboot by the name of the lab: its machines at once, with what happens', async () => {
    const stopped = await kubexm('lab', 'stop', name);
    expect(stopped).toMatchObject({ code: 0, stderr: expect.stringContaining(`Stopped: ${name}-1, ${name}-2`) });
    // Both are reported before either has ended.
    expect(stopped.stderr).toMatch(interleaved('stopping', 'stopped'));
    const started = await kubexm('lab', 'start', name);
    expect(started).toMatchObject({ code: 0, stderr: expect.stringContaining(`Running: ${name}-1, ${name}-2`) });
    expect(started.stderr).toMatch(interleaved('booting', 'ready'));
    const rebooted = await kubexm('lab', 'reboot', name);
    expect(rebooted.stderr).toMatch(interleaved('stopping', 'ready'));
    expect(await kubexm('lab', 'stop', `${name}-2`)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(new RegExp(`Stopped: ${name}-2\n$`)),
    });
  }, 120_000);

  test('a torn record is said, with what to do about it', async () => {
    const file = join(state, 'kubexm', 'labs', name, 'lab.json');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.slice(0, 100));
    const listed = await kubexm('lab', 'list');
    expect(listed).toMatchObject({ code: 0, stdout: '' });
    expect(listed.stderr).toMatch(new RegExp(`^KX6023 .*kubexm lab delete ${name}`, 's'));
    for (const words of [
      ['stop', name],
      ['ssh', `${name}-1`, '--', 'true'],
      ['snapshot', name],
      ['config', name],
    ]) {
      expect(await kubexm('lab', ...words)).toMatchObject({ code: 1, stderr: expect.stringContaining('KX6023') });
    }
    writeFileSync(file, whole);
    expect((await kubexm('lab', 'list', '-o', 'name')).stdout).toBe(`${name}-1\n${name}-2\n`);
  });

  test('delete: nothing at all is left, and again is no error', async () => {
    expect(await kubexm('lab', 'delete', name)).toMatchObject({ code: 0, stdout: '' });
    expect(tracesOf(name, state)).toEqual({ ...NO_TRACES, files: ['kubexm'] });
    expect(boxState(name, state)).toEqual({ ...before, files: [join(state, 'kubexm')] });
    expect(existsSync(join(state, 'kubexm', 'labs'))).toBe(false);
    expect(await kubexm('lab', 'delete', name)).toMatchObject({ code: 0 });
    expect(await kubexm('lab', 'list', '-o', 'json')).toMatchObject({ stdout: '[]\n' });
  });
});
