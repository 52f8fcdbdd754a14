import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { describeHosts, type Rig, type RigHost, startRig } from '../../test/rig/sshd.ts';
import type { Job } from '../model/host.ts';
import { rawScript, sh } from '../model/script.ts';
import { connectMachine } from './connect.ts';
import type { LinkedMachine } from './machine.ts';

const STUBBORN = 'echo working; trap "" TERM; (setsid sleep 71 &); sh -c "trap \\"\\" TERM; sleep 72"; sleep 73';
const POLITE = 'trap "echo tidied; exit 9" TERM; sleep 60 & wait';

describeHosts('jobs', () => {
  let rig: Rig;
  let host: RigHost;
  let machine: LinkedMachine;

  /** Jobs that are given up, on another host and from the start: that takes as long as all the others together. */
  let late: { readonly machine: LinkedMachine; readonly host: RigHost; readonly errors: Promise<readonly unknown[]> };

  beforeAll(async () => {
    rig = await startRig({ hosts: 2 });
    host = rig.hosts[0] as RigHost;
    const other = rig.hosts[1] as RigHost;
    const far = await connectMachine(other.target(), { reconnectMs: 8000 });
    const errors = [job('late', STUBBORN, { timeoutSeconds: 1 }), job('polite', POLITE, { timeoutSeconds: 1 })].map(
      (one) => far.job(one).catch((reason: unknown) => reason),
    );
    late = { machine: far, host: other, errors: Promise.all(errors) };
  });
  afterAll(async () => {
    await late?.machine.close();
    await rig.close();
  });
  beforeEach(async () => {
    machine = await connectMachine(host.target(), { reconnectMs: 8000 });
  });
  afterEach(async () => {
    await machine.close();
    expect(
      await host.exec('ls -A /run /var/lib | grep kubexm; ps -e -o args= | grep "[l]ib\\.[0-9a-f]* job" || true'),
    ).toBe('');
  });

  const job = (key: string, script: string, more: Partial<Job> = {}): Job => ({
    key,
    script: rawScript(script),
    timeoutSeconds: 30,
    ...more,
  });

  /** A script that waits until the test lets it go on. */
  const held = (key: string): string => `until [ -e /srv/kx-test/go-${key} ]; do sleep 0.05; done`;
  const letGo = (key: string): Promise<void> => writeFile(host.path(`/srv/kx-test/go-${key}`), '');
  const begun = (key: string): Promise<void> =>
    expect.poll(() => existsSync(host.path(`/run/kubexm/jobs/${key}/stdout`)), { interval: 20 }).toBe(true);

  /** As the kernel does when memory runs out, and what a restart leaves. */
  const killJob = (key: string, then = 'true'): Promise<string> =>
    host.exec(
      `cd /run/kubexm; until [ -s jobs/${key}/pid ]; do sleep 0.05; done; read p x <jobs/${key}/pid; kill -STOP -$p; ${then}; kill -9 -$p`,
    );

  test('result, last lines, and the record until it is forgotten', async () => {
    const lines: string[] = [];
    const script = 'for i in 1 2 3; do echo line $i; sleep 0.15; done; kx_report left x; echo problem >&2; exit 5';
    const result = await machine.job(job('a.b-c_1', script, { onLine: (line) => lines.push(line) }));
    expect(result).toMatchObject({
      code: 5,
      stdout: 'line 1\nline 2\nline 3\n',
      stderr: 'problem\n',
      truncated: false,
      attached: false,
      reports: [{ type: 'left', text: 'x' }],
    });
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/^line \d$/);
    expect(
      await host.exec(
        'stat -c "%a %n" /run/kubexm/jobs/*; stat -c %a /run/kubexm/jobs/*/* | sort | uniq -c | tr -s " "',
      ),
    ).toMatch(/^700 \/run\/kubexm\/jobs\/a\.b-c_1\n \d+ 600\n 1 700\n$/);
    expect(await machine.job(job('a.b-c_1', 'echo other'))).toMatchObject({ code: 5, attached: true });
    await machine.forgetJob('a.b-c_1');
    expect(await machine.job(job('a.b-c_1', 'echo other'))).toMatchObject({ stdout: 'other\n', attached: false });
    await machine.forgetJob('a.b-c_1');
    await machine.forgetJob('never-was');
  });

  test('it has the library, a fixed environment and no input', async () => {
    const script =
      'cat; pwd; umask; echo $LC_ALL $PATH $HOME; kx_sha256 /etc/hostname | wc -c; echo "$KX_STATE $KX_RUN $#"';
    const { stdout } = await machine.job(job('env', script));
    expect(stdout.split('\n')).toEqual([
      '/',
      '0077',
      'C /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /root',
      '65',
      '/var/lib/kubexm /run/kubexm 0',
      '',
    ]);
    await machine.forgetJob('env');
  });

  test('the end of long output is kept', async () => {
    const { stdout, truncated } = await machine.job(
      job('long', 'head -c 3000000 /dev/zero | tr "\\0" a; echo; echo the end'),
    );
    expect(truncated).toBe(true);
    expect(stdout).toHaveLength(1024 * 1024);
    expect(stdout.endsWith('a\nthe end\n')).toBe(true);
    await machine.forgetJob('long');
  });

  test('the same key starts once, however often and from wherever it is asked for', async () => {
    const other = await connectMachine(host.target());
    const script = 'echo x >>/srv/kx-test/once; sleep 0.2';
    const all = [machine, other, machine, other].map((one) => one.job(job('once', script)));
    const results = await Promise.all(all);
    expect(results.filter((result) => !result.attached)).toHaveLength(1);
    expect(await host.exec('cat /srv/kx-test/once')).toBe('x\n');
    await machine.forgetJob('once');
    await other.close();
  });

  test('the shell is free while it runs', async () => {
    const running = machine.job(job('free', held('free')));
    await begun('free');
    expect((await machine.run(sh`echo free`)).stdout).toBe('free\n');
    await expect(machine.forgetJob('free')).rejects.toMatchObject({ code: 'KX3043' });
    await letGo('free');
    await running;
    await machine.forgetJob('free');
  });

  test('it goes on without a connection, and is attached to afterwards', async () => {
    const script = `echo begun; ${held('cut')}; echo done; echo x >>/srv/kx-test/cut`;
    const running = machine.job(job('cut', script));
    await begun('cut');
    await host.cutConnections();
    await sleep(200);
    await host.stop();
    await sleep(200);
    await host.restart();
    await letGo('cut');
    expect(await running).toMatchObject({ code: 0, stdout: 'begun\ndone\n', attached: false });
    expect(await host.exec('cat /srv/kx-test/cut')).toBe('x\n');
    await machine.forgetJob('cut');
  });

  test('giving up waiting leaves it running', async () => {
    const signal = AbortSignal.timeout(200);
    await expect(machine.job(job('left', `${held('left')}; echo done`, { signal }))).rejects.toThrow(/timeout/);
    setTimeout(() => void letGo('left'), 50);
    expect(await machine.job(job('left', 'echo again'))).toMatchObject({ stdout: 'done\n', attached: true });
    await machine.forgetJob('left');
  });

  test('a job that is killed, or whose machine was restarted, is reported', async () => {
    const killed = machine.job(job('killed', 'sleep 60'));
    killed.catch(() => undefined);
    await killJob('killed');
    await expect(killed).rejects.toMatchObject({ code: 'KX3040', params: { key: 'killed' } });
    await machine.forgetJob('killed');
    const rebooted = machine.job(job('rebooted', 'sleep 2'));
    // It may end while the test still looks elsewhere.
    rebooted.catch(() => undefined);
    await killJob('rebooted', 'rm -r /run/kubexm/jobs');
    await expect(rebooted).rejects.toMatchObject({ code: 'KX3040', params: { reason: 'its record is gone' } });
  });

  test('without flock(1): by process id and start time', async () => {
    await host.exec('mv /usr/bin/flock /usr/bin/flock.away');
    try {
      const running = machine.job(job('noflock', `${held('noflock')}; echo done`));
      await begun('noflock');
      await expect(machine.forgetJob('noflock')).rejects.toMatchObject({ code: 'KX3043' });
      await letGo('noflock');
      expect((await running).stdout).toBe('done\n');
      await machine.forgetJob('noflock');
      const killed = machine.job(job('killed', 'sleep 60'));
      killed.catch(() => undefined);
      await killJob('killed');
      await expect(killed).rejects.toMatchObject({ code: 'KX3040' });
      await machine.forgetJob('killed');
    } finally {
      await host.exec('mv /usr/bin/flock.away /usr/bin/flock');
    }
  });

  test('it cannot be started', async () => {
    await host.exec('mkdir -p /run/kubexm && : >/run/kubexm/jobs');
    await expect(machine.job(job('no', 'true'))).rejects.toMatchObject({ code: 'KX3042' });
    await host.exec('rm /run/kubexm/jobs');
    await expect(machine.job(job('../x', 'true'))).rejects.toThrow('not a job key');
  });

  test('a timeout ends all of it, also what does not want to', async () => {
    const [error] = await late.errors;
    expect(error).toMatchObject({ code: 'KX3041', params: { key: 'late', seconds: 1 }, detail: 'working' });
    expect(await late.host.exec('ps -e -o args= | grep "[s]leep 7[23]" || true')).toBe('');
    // It left the job by itself; nothing that waits for it is left either.
    await late.host.exec('pkill -f "[s]leep 71"');
    await late.machine.forgetJob('late');
  });

  test('a job that takes TERM well gets no KILL', async () => {
    const [, error] = await late.errors;
    expect(error).toMatchObject({ code: 'KX3041', detail: 'tidied' });
    expect(await late.machine.job(job('polite', POLITE))).toMatchObject({ code: 9, attached: true });
    await late.machine.forgetJob('polite');
    expect(await late.host.exec('ls -A /run/kubexm')).not.toContain('jobs');
  });
});
