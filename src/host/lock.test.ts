import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { program } from '../../test/rig/programs.ts';
import { describeHosts, type Rig, type RigHost, startProxy, startRig } from '../../test/rig/sshd.ts';
import type { LockOwner } from '../model/host.ts';
import { rawScript, sh } from '../model/script.ts';
import { type ConnectOptions, connectMachine } from './connect.ts';
import type { LinkedMachine } from './machine.ts';

const CHILD = program('child-run');

describeHosts('locks', () => {
  let rig: Rig;
  let host: RigHost;
  const open: LinkedMachine[] = [];
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    rig = await startRig();
    host = rig.hosts[0] as RigHost;
  });
  afterAll(() => rig.close());
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const machine of open.splice(0)) await machine.close();
    // The shell of a process that was killed goes by itself, soon.
    const left = await host.exec(
      `pkill -9 -f "[l]ib\\.[0-9a-f]* job"; for i in $(seq 100); do ls -d /run/kubexm/sh.* >/dev/null 2>&1 || break; sleep 0.02; done
      rm -rf /run/kubexm/jobs /run/kubexm/lib.*; ls -A /run/kubexm 2>&1; rm -rf /run/kubexm /srv/kx-test/*`,
    );
    expect(left).toMatch(/^(ls: cannot access .*\n|lock\.beat\nlock\.owner\n|lock\nlock\.beat\nlock\.owner\n)?$/);
  });

  const connect = async (options: ConnectOptions = {}): Promise<LinkedMachine> => {
    const machine = await connectMachine(host.target(), { reconnectMs: 5000, heartbeatMs: 700, ...options });
    open.push(machine);
    return machine;
  };
  const owner = (run: string, more: Partial<LockOwner> = {}): LockOwner => ({
    run,
    cluster: 'demo',
    pipeline: 'create cluster',
    user: 'ann',
    machine: `desk-${run}`,
    pid: process.pid,
    since: '2025-01-02T03:04:05Z',
    ...more,
  });
  /** Another kubexm, on this machine, in its own process. */
  const child = async (run: string, action: string, script: string, until = 'locked'): Promise<ChildProcess> => {
    const args = [
      CHILD,
      JSON.stringify(host.target()),
      JSON.stringify(owner(run, { machine: 'desk' })),
      action,
      script,
    ];
    const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(started);
    let said = '';
    for await (const chunk of started.stdout as AsyncIterable<Buffer>) {
      said += chunk.toString();
      if (said.includes(until)) break;
    }
    expect(said).toContain(until);
    return started;
  };
  /** A script that waits until the test lets it go on. */
  const held = 'until [ -e /srv/kx-test/go ]; do sleep 0.1; done';
  const letGo = (): Promise<void> => writeFile(host.path('/srv/kx-test/go'), '');
  const there = (path: string): Promise<void> =>
    expect.poll(() => existsSync(host.path(path)), { interval: 20 }).toBe(true);
  const kill = async (process: ChildProcess): Promise<void> => {
    const gone = once(process, 'exit');
    process.kill('SIGKILL');
    await gone;
  };

  test('the second is refused with the first one’s identity; later it is free', async () => {
    const [first, second] = await Promise.all([connect(), connect()]);
    await first.lock(owner('r1'));
    await expect(second.lock(owner('r2', { user: 'bob' }))).rejects.toMatchObject({
      code: 'KX3101',
      params: {
        host: 'host1',
        run: 'r1',
        pipeline: 'create cluster',
        user: 'ann',
        machine: 'desk-r1',
        since: '2025-01-02T03:04:05Z',
      },
    });
    expect(await second.readLockOwner()).toMatchObject({ owner: owner('r1'), jobs: [] });
    expect(await host.exec('stat -c %a /run/kubexm /run/kubexm/lock* | sort -u')).toBe('600\n700\n');
    await first.unlock();
    expect(await second.readLockOwner()).toBeUndefined();
    await second.lock(owner('r2'));
    await second.unlock();
    await second.lock(owner('r3'));
  });

  test('closing gives it back', async () => {
    const [first, second] = await Promise.all([connect(), connect()]);
    await first.lock(owner('r1'));
    await first.close();
    await second.lock(owner('r2'));
  });

  test('many at once: exactly one gets it', async () => {
    const machines = await Promise.all(Array.from({ length: 6 }, () => connect()));
    const results = await Promise.allSettled(machines.map((machine, i) => machine.lock(owner(`r${i}`))));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'KX3101' });
  });

  test('a long command does not make its owner look dead', async () => {
    // A process that wants the lock takes an owner for dead after three of its own beats.
    const [first, second] = [await connect({ heartbeatMs: 150 }), await connect({ heartbeatMs: 500 })];
    await first.lock(owner('r1'));
    const long = first.run(rawScript(`${held}; echo done`));
    await sleep(1800);
    await expect(second.lock(owner('r2'))).rejects.toMatchObject({ code: 'KX3101' });
    await letGo();
    expect((await long).stdout).toBe('done\n');
  });

  test('a dead process of this machine is evicted at once', async () => {
    const dead = await child('r1', 'none', '');
    const machine = await connect({ heartbeatMs: 5000 });
    const mine = owner('r2', { machine: 'desk' });
    await expect(machine.lock(mine)).rejects.toMatchObject({ code: 'KX3101', params: { run: 'r1' } });
    await kill(dead);
    const started = Date.now();
    await machine.lock(mine);
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  test('a process that has got a dead one’s number does not pass for it', async () => {
    const machine = await connect({ heartbeatMs: 5000 });
    for (const pid of [process.ppid, process.pid]) {
      await kill(await child('r1', 'none', ''));
      await host.exec(`sed -i 's/"pid":[0-9]*/"pid":${pid},"started":"1"/' /run/kubexm/lock.owner`);
      const started = Date.now();
      await machine.lock(owner('r2', { machine: 'desk' }));
      expect(Date.now() - started).toBeLessThan(10_000);
      await machine.unlock();
    }
  });

  test('an owner that may still come back keeps its lock, however long others are silent before they give up', async () => {
    const proxy = await startProxy(host.port);
    const first = await connectMachine(host.target({ port: proxy.port }), {
      reconnectMs: 30_000,
      keepaliveMs: 200,
      heartbeatMs: 200,
    });
    const second = await connect({ heartbeatMs: 200 });
    await first.lock(owner('r1'));
    proxy.freeze();
    // Ten of its beats, and all its keepalives.
    await sleep(2000);
    await expect(second.lock(owner('r2'))).rejects.toMatchObject({ code: 'KX3101', params: { run: 'r1' } });
    proxy.thaw();
    expect((await first.run(sh`echo back`)).stdout).toBe('back\n');
    await first.close();
    await proxy.close();
    await second.lock(owner('r2'));
  });

  test('a silent owner elsewhere is evicted when it can no longer come back, with what its shell still runs', async () => {
    const proxy = await startProxy(host.port);
    const first = await connectMachine(host.target({ port: proxy.port }), {
      reconnectMs: 20_000,
      keepaliveMs: 60_000,
      heartbeatMs: 700,
    });
    const second = await connect({ heartbeatMs: 500 });
    await first.lock(owner('r1'));
    const lost = first.run(sh`: >/srv/kx-test/begun; sleep 81`);
    lost.catch(() => undefined);
    await there('/srv/kx-test/begun');
    proxy.freeze();
    await expect(second.lock(owner('r2'))).rejects.toMatchObject({ code: 'KX3101' });
    // As if it had said that it would be away for a second and a half only.
    await host.exec("sed -i '4s/.*/150/' /run/kubexm/lock.owner");
    await sleep(1800);
    await second.lock(owner('r2'));
    expect(await host.exec('ps -e -o args= | grep "[s]leep 81" || true')).toBe('');
    // The first one wakes up and must see that it is not alone.
    proxy.thaw();
    await expect(lost).rejects.toMatchObject({ code: 'KX3103', params: { by: 'run r2 (ann@desk-r2)' } });
    await expect(first.batch([sh`true`])).rejects.toMatchObject({ code: 'KX3103' });
    await first.close();
    await proxy.close();
    expect(await second.readLockOwner()).toMatchObject({ owner: { run: 'r2' } });
  });

  test('never while a job lives; its own run may go on and attach', async () => {
    const dead = await child('r1', 'job', `${held}; echo finished`);
    await there('/run/kubexm/jobs/child/pid');
    await kill(dead);
    const machine = await connect();
    const other = owner('r2', { machine: 'desk' });
    const error = await machine.lock(other).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'KX3102', params: { run: 'r1', user: 'ann', machine: 'desk', job: 'child' } });
    expect(await machine.readLockOwner()).toMatchObject({ jobs: [{ key: 'child' }] });
    await expect(machine.breakLock()).rejects.toMatchObject({ code: 'KX3102' });
    await machine.lock(owner('r1', { machine: 'desk' }));
    await letGo();
    const job = await machine.job({ key: 'child', script: sh`echo never`, timeoutSeconds: 60 });
    expect(job).toMatchObject({ stdout: 'finished\n', attached: true });
    await machine.forgetJob('child');
    await machine.unlock();
    await machine.lock(other);
  });

  test('a run that was stopped at once has given its lock back, but its job keeps others away', async () => {
    const [first, second] = await Promise.all([connect(), connect()]);
    await first.lock(owner('r1'));
    const stop = new AbortController();
    const waiting = first.job({ key: 'r1.long', script: rawScript(held), timeoutSeconds: 60, signal: stop.signal });
    await there('/run/kubexm/jobs/r1.long/pid');
    stop.abort();
    await expect(waiting).rejects.toThrow();
    await first.unlock();
    await expect(second.lock(owner('r2'))).rejects.toMatchObject({ code: 'KX3102', params: { job: 'r1.long' } });
    await second.lock(owner('r1'));
    await letGo();
    await second.job({ key: 'r1.long', script: sh`echo never`, timeoutSeconds: 60 });
    await second.forgetJob('r1.long');
    await second.unlock();
    await first.lock(owner('r2'));
  });

  test('a process killed in the middle of a command: the next run waits for its end, not longer', async () => {
    const dead = await child('r1', 'run', `cd /srv/kx-test; echo x >running; ${held}; echo y >running`);
    await there('/srv/kx-test/running');
    await kill(dead);
    const machine = await connect({ heartbeatMs: 5000 });
    let locked = false;
    const locking = machine.lock(owner('r2', { machine: 'desk' })).then(() => {
      locked = true;
    });
    await sleep(300);
    expect(locked).toBe(false);
    await letGo();
    await locking;
    expect(await host.exec('cat /srv/kx-test/running')).toBe('y\n');
  });

  test('it is taken again after a cut, before anything else runs', async () => {
    const [first, second] = await Promise.all([connect(), connect()]);
    await first.lock(owner('r1'));
    for (let i = 0; i < 3; i++) {
      await host.cutConnections();
      expect((await first.batch([sh`echo ${i}`]))[0]?.stdout).toBe(`${i}\n`);
      await expect(second.lock(owner('r2'))).rejects.toMatchObject({ code: 'KX3101', params: { run: 'r1' } });
    }
    await first.unlock();
    await second.lock(owner('r2'));
  });

  test('unlock shows and breaks', async () => {
    const [first, second] = await Promise.all([connect(), connect()]);
    expect(await second.breakLock()).toBe(false);
    await first.lock(owner('r1'));
    expect(await second.breakLock()).toBe(true);
    expect(await second.readLockOwner()).toBeUndefined();
    await expect
      .poll(() =>
        first.run(sh`true`).then(
          () => '',
          (error: { code: string }) => error.code,
        ),
      )
      .toBe('KX3103');
    await second.lock(owner('r2'));
  });

  test('without flock(1)', async () => {
    await host.exec('mv /usr/bin/flock /usr/bin/flock.away');
    try {
      const [first, second] = await Promise.all([connect(), connect()]);
      await first.lock(owner('r1'));
      await expect(second.lock(owner('r2'))).rejects.toMatchObject({ code: 'KX3101', params: { run: 'r1' } });
      await first.unlock();
      await second.lock(owner('r2'));
      await second.unlock();
      const dead = await child('r3', 'none', '');
      await kill(dead);
      await first.lock(owner('r4', { machine: 'desk' }));
      await first.unlock();
    } finally {
      await host.exec('mv /usr/bin/flock.away /usr/bin/flock');
    }
  });
});
