import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { host as named, Rig } from '../../test/rig/engine.ts';
import { type ShellHost, type ShellServer, type Silence, startShellServer } from '../../test/rig/shell-server.ts';
import type { Deadlines } from '../model/deadlines.ts';
import type { LockOwner, Machine } from '../model/host.ts';
import { rawScript, sh } from '../model/script.ts';
import { on } from '../plan/combinators.ts';
import { defineStep } from '../plan/step.ts';
import type { ConnectOptions } from './connect.ts';
import type { LinkedMachine } from './machine.ts';

/** Short, but long enough for a busy machine that runs the tests. */
const SOON: Partial<Deadlines> = {
  channelMs: 3000,
  loginMs: 3000,
  helloMs: 3000,
  factsMs: 3000,
  reopenMs: 3000,
  sideMs: 2000,
  haltMs: 3000,
  stallMs: 2000,
  digestMs: 2000,
  reconnectMs: 4000,
};
/** In so much time everything with the deadlines above is over, many times. */
const GOOD_TIME = 40_000;
const FROM_HELLO = /\n[0-9a-f]{24} 0 /;
const FROM_THIRD_CALL = /\n[0-9a-f]{24} 2 /;
const FROM_ANYTHING = /^/;

let server: ShellServer;
let open: LinkedMachine[];
let dir: string;

beforeEach(async () => {
  server = await startShellServer();
  open = [];
  dir = await mkdtemp(join(tmpdir(), 'kx-silent-'));
});
afterEach(async () => {
  await Promise.all(open.map((machine) => machine.close()));
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

const connect = async (host: ShellHost, more: ConnectOptions = {}): Promise<LinkedMachine> => {
  const machine = await host.connect({ deadlines: SOON, ...more });
  open.push(machine);
  return machine;
};
const silentFrom = (name: string, silence: Silence): ShellHost => {
  const host = server.host(name);
  host.silence(silence);
  return host;
};
const owner: LockOwner = {
  run: 'r1',
  cluster: 'demo',
  pipeline: 'create cluster',
  user: 'ann',
  machine: 'desk',
  pid: process.pid,
  since: '2025-01-02T03:04:05Z',
};

describe('a host that falls silent while it is connected', () => {
  const points: readonly (readonly [string, Silence, string])[] = [
    ['opening a session', { channel: true }, 'KX3018'],
    ['starting the command', { exec: true }, 'KX3018'],
    ['logging in', { output: FROM_ANYTHING }, 'KX3020'],
    ['its shell’s first answer', { output: FROM_HELLO }, 'KX3018'],
    ['facts', { output: FROM_THIRD_CALL }, 'KX3018'],
  ];

  test('thirty of them beside five good ones', async () => {
    const started = Date.now();
    const silent = Array.from({ length: 30 }, (_, i) => {
      const [point, silence, code] = points[i % points.length]!;
      return { point, code, connecting: connect(silentFrom(`silent${i}`, silence)) };
    });
    const outcomes = Promise.allSettled(silent.map(({ connecting }) => connecting));
    const good = await Promise.all(
      Array.from({ length: 5 }, async (_, i) => {
        const machine = await connect(server.host(`good${i}`), { deadlines: {} });
        return (await machine.run(sh`echo ${i}`)).stdout;
      }),
    );
    expect(good).toEqual(['0\n', '1\n', '2\n', '3\n', '4\n']);
    expect(Date.now() - started).toBeLessThan(GOOD_TIME);
    (await outcomes).forEach((outcome, i) => {
      const { point, code } = silent[i]!;
      expect({ point, code: outcome.status === 'rejected' && (outcome.reason as { code: string }).code }).toEqual({
        point,
        code,
      });
    });
    expect(Date.now() - started).toBeLessThan(GOOD_TIME);
  });

  test('waiting for it can be given up at any of these points', async () => {
    for (const [point, silence] of points) {
      const host = silentFrom(point.replaceAll(/\W/g, ''), silence);
      const connecting = host.connect({ signal: AbortSignal.timeout(1500) });
      await expect(connecting, point).rejects.toBeDefined();
      await expect.poll(() => host.connections).toBe(0);
    }
  });
});

describe('a host that falls silent later', () => {
  const took = async (work: Promise<unknown>, code: string): Promise<number> => {
    const started = Date.now();
    await expect(work).rejects.toMatchObject({ code });
    return Date.now() - started;
  };

  test('a command that hangs is stopped through a new connection when no second shell comes', async () => {
    const host = server.host('a');
    const machine = await connect(host);
    // The next session, which would be the second shell, and none behind it.
    for (const silence of [{ channel: true }, { exec: true }, { output: FROM_ANYTHING }, { output: FROM_HELLO }]) {
      const running = machine.run(sh`sleep 300`, { timeoutSeconds: 0.5 });
      const old = host.connections;
      host.silence(silence);
      // The first connection after it has been dropped works again.
      const watch = setInterval(() => {
        if (host.connections < old) host.silence(undefined);
      }, 20);
      expect(await took(running, 'KX3030')).toBeLessThan(GOOD_TIME);
      clearInterval(watch);
      expect((await machine.run(sh`echo there`)).stdout).toBe('there\n');
    }
  });

  test.each<readonly [string, Silence]>([
    ['opening a session', { channel: true }],
    ['its shell’s first answer', { output: FROM_HELLO }],
    ['taking the lock again', { output: FROM_THIRD_CALL }],
  ])('one that hangs at %s after a cut is lost', async (_, silence) => {
    const host = server.host('a');
    const machine = await connect(host);
    await machine.lock(owner);
    host.silence(silence);
    host.cut();
    expect(await took(machine.batch([sh`true`]), 'KX3012')).toBeLessThan(GOOD_TIME);
    // Leaving it does not take longer than that either.
    await machine.close();
  });

  test('a shell that hangs at the end does not keep us', async () => {
    const host = server.host('a');
    const machine = await connect(host);
    const running = machine.run(sh`sleep 300`);
    running.catch(() => undefined);
    host.silence({ output: FROM_ANYTHING, channel: true });
    const started = Date.now();
    await machine.close();
    expect(Date.now() - started).toBeLessThan(GOOD_TIME);
    await expect(running).rejects.toMatchObject({ code: 'KX3012' });
    await expect.poll(() => host.connections).toBe(0);
  });

  test('transfers that stall, in both directions', async () => {
    const host = server.host('a');
    const machine = await connect(host);
    const file = join(dir, 'file');
    await writeFile(file, randomBytes(4_000_000));
    await machine.put(file, join(dir, 'there'));
    host.silence({ input: 500_000 });
    expect(await took(machine.put(file, join(dir, 'up')), 'KX3036')).toBeLessThan(GOOD_TIME);
    host.silence({ output: /\n4000000\n/ });
    expect(await took(machine.get(join(dir, 'there'), join(dir, 'down')), 'KX3036')).toBeLessThan(GOOD_TIME);
    host.silence({ channel: true });
    expect(await took(machine.get(join(dir, 'there'), join(dir, 'down')), 'KX3018')).toBeLessThan(GOOD_TIME);
    host.silence(undefined);
    await machine.get(join(dir, 'there'), join(dir, 'down'));
    expect(await readdir(dir)).toEqual(expect.arrayContaining(['down', 'file', 'there']));
    expect(await readdir(dir)).not.toContain('up');
  });

  test('thirty of them in the middle of a run, beside five good ones', async () => {
    const rig = new Rig([]);
    const names = Array.from({ length: 35 }, (_, i) => `h${i}`);
    const machines = new Map<string, Machine>(
      await Promise.all(
        names.map(
          async (name) => [name, await connect(server.host(name), { deadlines: { ...SOON, callMs: 2000 } })] as const,
        ),
      ),
    );
    const touch = defineStep<{ readonly dir: string }>()({
      kind: 'touch',
      description: 'a file',
      title: () => 'touch',
      nature: 'action',
      timeoutSeconds: 2,
      apply: (at, want) => rawScript(`: >${want.dir}/${at.name}`),
      example: { dir: '/' },
    });
    names.slice(5).forEach((name, i) => {
      server.host(name).silence([{ output: FROM_ANYTHING, channel: true }, { output: FROM_ANYTHING }][i % 2]);
    });
    const started = Date.now();
    const result = await rig.run(on(names.map(named), touch({ dir }), { name: 'touch' }), { machines });
    expect(result).toMatchObject({ failures: [], counts: { ran: 5, unknown: 30 } });
    expect(result.lostHosts.toSorted()).toEqual(names.slice(5).toSorted());
    expect(Date.now() - started).toBeLessThan(GOOD_TIME);
    const good = rig.of('node-finished').filter(({ outcome }) => outcome === 'ran');
    for (const { durationMs } of good) expect(durationMs).toBeLessThan(GOOD_TIME / 2);
  });
});
