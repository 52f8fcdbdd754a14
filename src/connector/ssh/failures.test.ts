import { describe, expect, test } from 'vitest';
import { fails, says } from '../../../test/rig/ssh.ts';
import {
  describeHosts,
  freePort,
  type RigHost,
  startFaultyServer,
  startProxy,
  startRig,
} from '../../../test/rig/sshd.ts';
import type { Target } from '../target.ts';
import { connectSsh } from './client.ts';

describe('SSH failures', () => {
  const target = (port: number, changes: Partial<Target> = {}): Target => ({
    name: 'node1',
    address: '127.0.0.1',
    port,
    user: 'root',
    auth: { password: 'x' },
    hostKeys: { pinFile: '/dev/null' },
    bastions: [],
    ...changes,
  });

  test('refused', async () => {
    const port = await freePort();
    expect(await fails(target(port))).toMatchObject({ code: 'KX3001', params: { host: 'node1', port } });
  });

  test('a name that is not known', async () => {
    const error = await fails(target(22, { address: 'no-such-host.invalid' }));
    expect(error).toMatchObject({ code: 'KX3003', params: { address: 'no-such-host.invalid' } });
  });

  test.each([
    ['silent', 'KX3002', 200],
    ['stall-login', 'KX3002', 1500],
    ['not-ssh', 'KX3014', 5000],
    ['drop-handshake', 'KX3014', 5000],
    ['drop-login', 'KX3014', 5000],
    ['kick-login', 'KX3004', 5000],
  ] as const)('a server that is %s', async (fault, code, timeoutMs) => {
    const server = await startFaultyServer(fault);
    try {
      expect(await fails(target(server.port), { timeoutMs })).toMatchObject({ code });
    } finally {
      await server.close();
    }
  });

  test('a server that opens no sessions', async () => {
    const server = await startFaultyServer('no-sessions');
    const connection = await connectSsh(target(server.port));
    await expect(connection.exec('true')).rejects.toMatchObject({ code: 'KX3015' });
    await connection.close();
    await server.close();
  });
});

describeHosts('few sessions', () => {
  test('channels wait for their turn', async () => {
    const rig = await startRig({ sshd: ['MaxSessions 2'] });
    try {
      const connection = await connectSsh((rig.hosts[0] as RigHost).target());
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => says(connection, `sleep 0.05; echo ${i}`)),
      );
      expect(answers).toEqual(Array.from({ length: 12 }, (_, i) => `${i}\n`));
      await connection.close();
    } finally {
      await rig.close();
    }
  });

  test('a dead connection is noticed by its silence', async () => {
    const rig = await startRig();
    const proxy = await startProxy((rig.hosts[0] as RigHost).port);
    try {
      const connection = await connectSsh((rig.hosts[0] as RigHost).target({ port: proxy.port }), { keepaliveMs: 100 });
      expect(await says(connection, 'echo here')).toBe('here\n');
      proxy.freeze();
      const started = Date.now();
      expect(await connection.closed).toMatchObject({ message: 'Keepalive timeout' });
      expect(Date.now() - started).toBeLessThan(20_000);
      await expect(connection.exec('true')).rejects.toThrow();
    } finally {
      await proxy.close();
      await rig.close();
    }
  });
});
