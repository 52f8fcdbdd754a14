import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connectMachine, type LinkedMachine } from '../../src/host/index.ts';
import { type LockOwner, sh } from '../../src/index.ts';
import { describeHosts, type Rig, type RigHost, startRig } from '../rig/sshd.ts';
import { call } from './rig/cli.ts';
import { clusterFile } from './rig/cluster-file.ts';

const RUN = '20250102-030405-abcdef';

describeHosts('kubexm unlock', () => {
  let rig: Rig;
  let dir: string;
  /** Those that the test has connected to, by the place of their host. */
  let machines: Map<number, LinkedMachine>;
  beforeAll(async () => {
    rig = await startRig({ hosts: 3 });
    dir = mkdtempSync(join(tmpdir(), 'kubexm-unlock-'));
    const roles = 'master: [host1], worker: [host2]';
    writeFileSync(join(dir, 'c.yaml'), clusterFile(rig, { roles }));
    writeFileSync(join(dir, 'two.yaml'), clusterFile(rig, { roles, count: 2 }));
  });
  const connect = async (...places: number[]) => {
    const linked = places.map(async (i) => [i, await connectMachine((rig.hosts[i] as RigHost).target())] as const);
    machines = new Map(await Promise.all(linked));
  };
  afterEach(async () => {
    await Promise.all([...machines.values()].map((machine) => machine.close()));
    const clean = 'pkill -9 -f "[l]ib\\.[0-9a-f]* job"; sleep 0.2; rm -rf /run/kubexm';
    await Promise.all(rig.hosts.map((host) => host.exec(clean)));
  });
  afterAll(async () => {
    await rig.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const unlock = (...args: string[]) => call(['unlock', '-f', 'c.yaml', ...args], { cwd: dir });
  const unlockTwo = (...args: string[]) => call(['unlock', '-f', 'two.yaml', ...args], { cwd: dir });
  const at = (i: number) => ({ machine: machines.get(i) as LinkedMachine, host: rig.hosts[i] as RigHost });
  const owner: LockOwner = {
    run: RUN,
    cluster: 'demo',
    pipeline: 'create cluster',
    user: 'ann',
    machine: 'desk',
    pid: 1,
    since: '2025-01-02T03:04:05Z',
  };
  /** Begins a job that nobody waits for; it runs when this returns. */
  const begin = async (i: number, name: string): Promise<string> => {
    const { machine, host } = at(i);
    const key = `${RUN}.${name}.1`;
    const abort = new AbortController();
    const job = machine.job({ key, script: sh`sleep 100`, timeoutSeconds: 100, signal: abort.signal });
    job.catch(() => undefined);
    await expect.poll(() => host.exec(`cat /run/kubexm/jobs/${key}/pid 2>/dev/null || true`)).not.toBe('');
    abort.abort();
    await job.catch(() => undefined);
    return key;
  };
  const killJob = (i: number, key: string) =>
    at(i).host.exec(`read -r pid rest </run/kubexm/jobs/${key}/pid; kill -9 "$pid"`);

  test('a living job on one host: that one is refused, the others are unlocked, and both is said', async () => {
    await connect(0, 1, 2);
    await Promise.all([0, 1, 2].map((i) => at(i).machine.lock(owner)));
    const key = await begin(0, 'living');
    const dead = await begin(2, 'dead');
    await killJob(2, dead);
    const { code, stdout, stderr } = await unlock('--yes');
    expect(code).toBe(6);
    expect(stdout).toMatch(new RegExp(`host1 +${RUN} +create cluster +ann@desk pid 1 .* 1\\n`));
    expect(stdout).toMatch(/host2 .* 0\n/);
    expect(stdout).toMatch(/host3 .* 0, 1 dead\n/);
    expect(stderr).toContain('Unlocked: host2, host3\n');
    expect(stderr).toContain(`✗ host1  KX3102 host host1 still works on job ${key}`);
    expect(stderr).not.toContain('left alone');
    expect(await at(0).machine.readLockOwner()).toMatchObject({ owner: { run: RUN } });
    expect(await at(1).host.exec('ls /run/kubexm/lock.owner 2>/dev/null || true')).toBe('');
    expect(await at(2).host.exec('ls /run/kubexm/lock.owner /run/kubexm/jobs 2>/dev/null || true')).toBe('');
  });

  test('jobs that nobody owns are shown: a living one is left, its run named; once it is dead it is cleared', async () => {
    await connect(0);
    const key = await begin(0, 'lonely');
    // Asked for long ago, and never begun.
    await at(1).host.exec(
      `d=/run/kubexm/jobs/${RUN}.never.1; mkdir -p -m 700 $d; echo 1 >$d/since; echo t >$d/token; echo : >$d/script`,
    );
    const first = await unlockTwo('--yes', '-o', 'json');
    expect(first.code).toBe(6);
    expect(JSON.parse(first.stdout)).toMatchObject([
      { host: 'host1', owner: null, runs: [RUN], jobs: [{ key }], deadJobs: [] },
      { host: 'host2', owner: null, runs: [RUN], jobs: [], deadJobs: [`${RUN}.never.1`] },
    ]);
    expect(first.stderr).toContain(`✗ host1  KX4029 host host1 still works on job ${key}`);
    expect(first.stderr).toContain(`of run ${RUN}, which is gone`);
    expect(first.stderr).toContain(`--resume ${RUN}`);
    expect(first.stderr).toContain('Unlocked: host2\n');
    await killJob(0, key);
    const second = await unlockTwo('--yes');
    expect(second.code, second.stderr).toBe(0);
    expect(second.stdout).toMatch(new RegExp(`host1 +${RUN} +[– ]+0, 1 dead\\n`));
    expect(second.stderr).toContain('Unlocked: host1\n');
    expect(await unlockTwo()).toMatchObject({ code: 0, stdout: '', stderr: 'No host is locked.\n' });
    await at(0).machine.lock({ ...owner, run: 'another' });
  });

  test('an unreachable host is reported; the others are unlocked', async () => {
    await connect(1);
    await at(1).machine.lock(owner);
    await at(2).host.stop();
    try {
      const { code, stderr } = await unlock('--yes');
      expect(code).toBe(5);
      expect(stderr).toContain('✗ host3  KX3001');
      expect(stderr).toContain('Unlocked: host2\n');
    } finally {
      await at(2).host.restart();
    }
  });
});
