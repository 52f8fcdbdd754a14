import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent } from '../../src/index.ts';
import { describeHosts, type Rig, startRig } from '../rig/sshd.ts';
import { type CliOptions, call, cli, SAMPLE_MAIN, tempDir } from './rig/cli.ts';
import { clusterFile } from './rig/cluster-file.ts';

/** Seconds that a job takes which must not end before the test lets it. */
const LONG = '50';

describeHosts('the command line over SSH', () => {
  let rig: Rig;
  let config: string;
  let dir: string;
  /** Configurations of the first host, and of the first two: a login costs more than most of what is tried here. */
  let one: string;
  let two: string;

  beforeAll(async () => {
    rig = await startRig({ hosts: 3 });
    dir = mkdtempSync(join(tmpdir(), 'kubexm-cli-hosts-'));
    const write = (name: string, count: number): string => {
      const workers = rig.hosts.slice(1, count).map((host) => host.name);
      const roles = `etcd: [host1], master: [host1], worker: [${workers.join(', ') || 'host1'}]`;
      const text = clusterFile(rig, { count, roles, more: '' });
      writeFileSync(join(dir, name), text);
      return join(dir, name);
    };
    config = write('c.yaml', 3);
    [one, two] = [write('one.yaml', 1), write('two.yaml', 2)];
  });
  afterAll(async () => {
    await rig.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const home = (cwd: string) => ({ KUBEXM_HOME: join(cwd, 'home') });
  const run = (cwd: string, args: readonly string[], options: CliOptions = {}) =>
    (options.started ? cli : call)(['run', 'command', '-f', config, ...args], { cwd, env: home(cwd), ...options });
  const sample = (cwd: string, file: string, args: readonly string[], options: CliOptions = {}) =>
    (options.started ? cli : call)(['test', 'sample', '-f', file, ...args], {
      ...{ cwd, env: home(cwd), main: SAMPLE_MAIN },
      ...options,
    });
  /** Lets the sample's jobs end, again and again until the run is over: how long they were to take, nobody waits for. */
  const endingJobs = async <T>(running: Promise<T>): Promise<T> => {
    let over = false;
    const ended = running.finally(() => {
      over = true;
    });
    while (!over) {
      await Promise.all(rig.hosts.slice(0, 2).map((host) => host.exec(`pkill -f '^sleep ${LONG}$' || true`)));
      await Promise.race([sleep(200), ended.catch(() => undefined)]);
    }
    return ended;
  };
  const sorted = (text: string) => text.trim().split('\n').sort();

  test('run command: what each host prints, behind its name', async () => {
    const { code, stdout, stderr } = await run(tempDir(), ['--nodes', 'all', '--', 'hostname; echo to-stderr >&2']);
    expect(code).toBe(0);
    expect(sorted(stdout)).toEqual(['host1 │ host1', 'host2 │ host2', 'host3 │ host3']);
    expect(stderr).toContain('host2 │ to-stderr');
    expect(stderr).toContain('3 hosts, 3 ok');
  });

  test('run command: globs, roles, ranges, and what is taken out', async () => {
    const cwd = tempDir();
    const hosts = async (patterns: string) => {
      const { stdout } = await run(cwd, ['--nodes', patterns, '-o', 'json', '--', 'true']);
      return (JSON.parse(stdout) as { host: string }[]).map(({ host }) => host);
    };
    expect(await hosts('host*,!host2')).toEqual(['host1', 'host3']);
    expect(await hosts('worker')).toEqual(['host2', 'host3']);
    expect(await hosts('host[1:2]')).toEqual(['host1', 'host2']);
    const none = await run(cwd, ['--nodes', 'nobody', '--', 'true']);
    expect(none.code).toBe(64);
    expect(none.stderr).toContain('KX4023 no host matches nobody');
  });

  test('run command: one that fails somewhere ends with 1 and says where', async () => {
    const { code, stdout, stderr } = await run(tempDir(), [
      '--nodes',
      'all',
      '--',
      'test "$(hostname)" != host2 || exit 3',
    ]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('3 hosts, 2 ok, 1 failed (host2=3)');
  });

  test('run command: words arrive as they were typed, results as data', async () => {
    const { code, stdout } = await run(tempDir(), [
      '--nodes',
      'host1',
      '-o',
      'json',
      '--',
      'printf',
      '%s|',
      'a  b',
      '$HOME',
      "it's",
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ host: 'host1', code: 0, stdout: "a  b|$HOME|it's|", stderr: '' }]);
  });

  test('run command: more than can be kept is said to be cut', async () => {
    const words = ['--nodes', 'host1', '-o', 'json', '--', 'head -c 2000000 /dev/zero | tr "\\0" x'];
    const { stdout } = await run(tempDir(), words);
    expect(JSON.parse(stdout)).toMatchObject([{ host: 'host1', code: 0, truncated: true }]);
  });

  test('run command: too slow', async () => {
    const { code, stderr } = await run(tempDir(), ['--nodes', 'host1', '--timeout', '1s', '--', 'sleep 20']);
    expect(code).toBe(1);
    expect(stderr).toContain('KX4004');
  });

  test('run command: a host that is away: 7 with the others done, 5 without', async () => {
    await rig.hosts[2]!.stop();
    try {
      const some = await run(tempDir(), ['--nodes', 'all', '--', 'hostname']);
      expect(some.code).toBe(7);
      expect(sorted(some.stdout)).toEqual(['host1 │ host1', 'host2 │ host2']);
      expect(some.stderr).toContain('✗ host3');
      expect(some.stderr).toContain('3 hosts, 2 ok, 1 not reached');
      const none = await run(tempDir(), ['--nodes', 'host3', '--', 'hostname']);
      expect(none.code).toBe(5);
      expect(none.stdout).toBe('');
    } finally {
      await rig.hosts[2]!.restart();
    }
  });

  test('a run makes its cluster known: later no file is needed', async () => {
    const cwd = tempDir();
    await run(cwd, ['--nodes', 'host1', '--', 'true']);
    const { code, stdout } = await cli(['run', 'command', '--nodes', 'host1', '--', 'hostname'], {
      cwd: tempDir(),
      env: home(cwd),
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'host1 │ host1\n' });
    expect(
      (await call(['get', 'runs', '-o', 'name'], { cwd: tempDir(), env: home(cwd) })).stdout.trim().split('\n'),
    ).toHaveLength(2);
  });

  test('dry run, run, run again: the difference, the changes, nothing', async () => {
    const cwd = tempDir();
    const args = ['--root', '/tmp/cli-sample', '--detailed-exitcode'];
    const dry = await sample(cwd, two, [...args, '--dry-run']);
    expect(dry.code).toBe(2);
    expect(dry.stdout).toContain(
      'sample/prepare/folder  on host1, host2\n  + /tmp/cli-sample: directory\n  + mode: 0755\n',
    );
    expect(dry.stdout).toContain('    +seed of the sample');
    expect(dry.stderr).toContain('the same without --dry-run does it');
    expect(existsSync(rig.hosts[0]!.path('/tmp/cli-sample'))).toBe(false);

    const first = await sample(cwd, two, args);
    expect(first.code).toBe(2);
    expect(first.stdout).toBe('');
    expect(first.stderr).toContain('✓ test sample demo: succeeded');
    expect(first.stderr).not.toContain('--resume');

    const second = await sample(cwd, two, args);
    expect(second.code).toBe(0);
    expect(second.stderr).not.toMatch(/\d+ changed/);
    const third = await sample(cwd, two, [...args, '--dry-run']);
    expect(third.code).toBe(0);
    expect(third.stdout).not.toMatch(/^ {2}[+~-] /m);
  });

  test('a step that fails: what, where, why, what next; then the printed command goes on', async () => {
    const cwd = tempDir();
    const args = ['--root', '/tmp/cli-failing', '--fail-on', 'host2'];
    const { code, stderr } = await sample(cwd, two, args);
    expect(code).toBe(1);
    expect(stderr).toContain('✗ test sample demo: failed');
    expect(stderr).toContain('✗ host2  KX4002 step sample/install/flag@host2 failed: exit code 3: the disk is on fire');
    expect(stderr).toContain('    │ the disk is on fire');
    const [, log = ''] = /log +(\S+)/.exec(stderr) ?? [];
    expect(readFileSync(log, 'utf8')).toContain('sample/install/flag@host2');
    const [, resume = ''] = /go on with +kubexm (.*)/.exec(stderr) ?? [];
    expect(resume).toMatch(
      /^test sample -f \S+ --root \/tmp\/cli-failing --fail-on host2 --resume 2\d{7}-\d{6}-[0-9a-f]{9}$/,
    );
    const described = await call(['describe', 'run', 'last'], { cwd, env: home(cwd) });
    expect(described.stdout).toContain(`kubexm ${resume}`);
    const kept = join(log, '../command.json');
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    const again = await call(resume.split(' '), { cwd, env: home(cwd), main: SAMPLE_MAIN });
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('resumed: test sample demo');
  });

  test('-o json: events on stdout, one per line, and nothing else', async () => {
    const { code, stdout, stderr } = await sample(tempDir(), one, ['--root', '/tmp/cli-json', '-o', 'json']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^New host keys, trusted from now on[\s\S]*SHA256:\S+\n$/);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent);
    expect(events.at(0)?.type).toBe('host-connected');
    expect(events.filter((event) => event.type === 'run-started')).toHaveLength(1);
    expect(events.at(-1)?.type).toBe('run-finished');
  });

  test('Ctrl-C once: what runs may end, the run can be resumed', async () => {
    const cwd = tempDir();
    const args = ['--root', '/tmp/cli-drain', '--job-seconds', LONG];
    const drains = Promise.withResolvers<void>();
    const interrupt: CliOptions = {
      started: (child) => {
        let seen = '';
        child.stderr?.on('data', (chunk: Buffer) => {
          const before = seen;
          seen += chunk.toString();
          if (seen.includes('Interrupted:')) drains.resolve();
          if (!before.includes('once@host1: started') && seen.includes('once@host1: started')) child.kill('SIGINT');
        });
      },
    };
    const interrupted = sample(cwd, two, args, interrupt);
    await drains.promise;
    const { code, stderr } = await endingJobs(interrupted);
    expect(code).toBe(130);
    expect(stderr).toContain('Interrupted: finishing steps on hosts');
    expect(stderr).toContain('sample/install/once@host1: changed');
    expect(stderr).toContain('! test sample demo: interrupted');
    expect(await endingJobs(sample(cwd, two, [...args, '--resume']))).toMatchObject({ code: 0 });
  });

  test('Ctrl-C twice: stops now, and says what nobody knows', { timeout: 180_000 }, async () => {
    const cwd = tempDir();
    const jobs = () => rig.hosts[0]!.exec(`pgrep -fc '^sleep ${LONG}$' || true`);
    const twice: CliOptions = {
      started: (child) => {
        void expect
          .poll(jobs, { timeout: 50_000 })
          .toBe('1\n')
          .then(() => child.kill('SIGINT'));
        let seen = '';
        child.stderr?.on('data', (chunk: Buffer) => {
          const before = seen;
          seen += chunk.toString();
          if (!before.includes('Interrupted:') && seen.includes('Interrupted:')) child.kill('SIGINT');
        });
      },
    };
    const args = ['--root', '/tmp/cli-stop', '--job-seconds', LONG];
    const { code, stderr } = await sample(cwd, one, args, twice);
    expect(code).toBe(130);
    expect(await jobs()).toBe('1\n');
    expect(stderr).toContain('Stopping now');
    expect(stderr).toMatch(/unknown/);
    // The job goes on without us; the run that owns it attaches to it.
    const resumed = await endingJobs(sample(cwd, one, [...args, '--resume']));
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(await rig.hosts[0]!.exec('cat /tmp/cli-stop/once.log')).toBe('start\n');
  });

  test('Ctrl-C twice during a one-off command: it is ended on the host, and nothing speaks of resuming', async () => {
    const [host] = rig.hosts;
    const running = () => host!.exec('pgrep -fc "[s]leep 4321" || true');
    const twice: CliOptions = {
      started: (child) => {
        void expect
          .poll(running, { timeout: 20_000 })
          .not.toBe('0\n')
          .then(() => child.kill('SIGINT'));
        child.stderr?.once('data', () => child.kill('SIGINT'));
      },
    };
    const { code, stderr } = await run(tempDir(), ['--nodes', 'host1', '--timeout', '5m', '--', 'sleep 4321'], twice);
    expect(code).toBe(130);
    expect(stderr).toContain('Stopping now. This cannot be resumed');
    expect(stderr).not.toMatch(/--resume picks|go on with/);
    await expect.poll(running).toBe('0\n');
  });

  test('two at once: the second is told who the first is; unlock shows it and asks for the name', {
    timeout: 180_000,
  }, async () => {
    const cwd = tempDir();
    const args = ['--root', '/tmp/cli-two', '--job-seconds', LONG];
    const works = Promise.withResolvers<void>();
    const first = sample(cwd, one, args, {
      started: (child) => {
        let seen = '';
        child.stderr?.on('data', (chunk: Buffer) => {
          seen += chunk.toString();
          if (seen.includes('once@host1: started')) works.resolve();
        });
      },
    });
    await works.promise;
    const unlock = (...more: string[]) => call(['unlock', '-f', one, ...more], { cwd, env: home(cwd) });
    const [second, asked, forced] = await Promise.all([sample(cwd, one, args), unlock(), unlock('--yes')]);
    expect(second.code).toBe(6);
    expect(second.stderr).toMatch(/KX4020 .*pid \d+/);
    expect(asked.code).toBe(64);
    expect(asked.stdout).toMatch(/host1 +2\d{7}-\S+ +test sample/);
    expect(asked.stderr).toContain('KX1040');
    expect(forced.code).toBe(6);
    expect(forced.stderr).toContain('KX3102');
    expect((await endingJobs(first)).code).toBe(0);
    const free = await unlock();
    expect(free).toMatchObject({ code: 0, stdout: '', stderr: 'No host is locked.\n' });
  });
});
