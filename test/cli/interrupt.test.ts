import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { call, cli, type Ended, SAMPLE_MAIN, tempDir } from './rig/cli.ts';

/** A port that takes connections and never says a word. */
async function silentPort(connected: () => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    connected();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

/** kubexm, interrupted while it waits for hosts that say nothing. */
async function interrupted(args: readonly string[], interrupt: (child: ChildProcess) => void) {
  const cwd = tempDir();
  const running = Promise.withResolvers<ChildProcess>();
  let connections = 0;
  const connected = () => {
    // Both hang by then.
    if (++connections === 2) void running.promise.then(interrupt);
  };
  const ports = [await silentPort(connected), await silentPort(connected)];
  const config = join(cwd, 'c.yaml');
  writeFileSync(
    config,
    `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: demo}
spec:
  ssh: {user: root, password: unused, sshConfig: none, connectTimeoutSeconds: 60}
  hosts:
  - {name: node1, address: 127.0.0.1, port: ${ports[0]}, internalAddress: 10.9.0.1}
  - {name: node2, address: 127.0.0.1, port: ${ports[1]}, internalAddress: 10.9.0.2}
  roleGroups: {master: [node1], etcd: [node1], worker: [node2]}
  kubernetes: {version: v1.34.4}
`,
  );
  const began = Date.now();
  const ended: Ended = await cli([...args.slice(0, 2), '-f', config, ...args.slice(2)], {
    cwd,
    env: { KUBEXM_HOME: join(cwd, 'home') },
    main: SAMPLE_MAIN,
    started: (child) => running.resolve(child),
  });
  expect(Date.now() - began).toBeLessThan(30_000);
  const crashes = existsSync(join(cwd, 'home')) ? readdirSync(join(cwd, 'home')) : [];
  expect(crashes.filter((name) => name.startsWith('crash'))).toEqual([]);
  return { ...ended, work: join(cwd, '.kubexm/demo') };
}

const command = ['run', 'command', '--nodes', 'all', '--', 'uptime'];

test.each<[string, NodeJS.Signals]>([
  ['Ctrl-C', 'SIGINT'],
  ['kill', 'SIGTERM'],
])('%s once while connecting: it stops at once and says that it was interrupted', async (_name, signal) => {
  const { code, stdout, stderr } = await interrupted(command, (child) => void child.kill(signal));
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
  expect(stderr).toContain('error KX4009 interrupted\n');
  expect(stderr).not.toMatch(/KX1099|KX3002|KX4024|AbortError/);
});

test('Ctrl-C twice while connecting is no defect either', async () => {
  const { code, stderr } = await interrupted(command, (child) => {
    child.kill('SIGINT');
    setTimeout(() => child.kill('SIGINT'), 3);
  });
  // The second may come when kubexm has ended its work already: then the signal itself ends it.
  expect([130, null]).toContain(code);
  expect(stderr).not.toMatch(/KX1099|AbortError|defect/);
});

test('a run that changes hosts gives the lock of its cluster back, and left nothing to resume; a damaged one is named', async () => {
  const { code, stderr, work } = await interrupted(['test', 'sample'], (child) => void child.kill('SIGINT'));
  expect(code, stderr).toBe(130);
  expect(existsSync(join(work, 'lock'))).toBe(true);
  expect(existsSync(join(work, 'lock.owner'))).toBe(false);
  expect(readdirSync(join(work, 'runs'))).toEqual([]);

  writeFileSync(join(work, 'lock'), 'rubbish '.repeat(200));
  const damaged = await call(['test', 'sample', '-f', join(work, '../../c.yaml')], {
    cwd: join(work, '../..'),
    env: { KUBEXM_HOME: join(tempDir(), 'home') },
    main: SAMPLE_MAIN,
  });
  expect(damaged.code).toBe(1);
  expect(damaged.stderr).toContain(
    `KX4027 the lock of this cluster, ${join(work, 'lock')}, cannot be used: file is not a database`,
  );
  expect(damaged.stderr).toContain('remove it');
});
