import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { describeHosts, type RigHost, startRig } from '../../test/rig/sshd.ts';
import { sh } from '../model/script.ts';
import { connectMachine } from './connect.ts';
import type { LinkedMachine } from './machine.ts';

describeHosts('a server with few sessions', () => {
  const within = async (
    sessions: number,
    work: (machine: LinkedMachine, host: RigHost) => Promise<void>,
  ): Promise<void> => {
    const rig = await startRig({ sshd: [`MaxSessions ${sessions}`] });
    const host = rig.hosts[0] as RigHost;
    try {
      const machine = await connectMachine(host.target());
      await work(machine, host);
      await machine.close();
    } finally {
      await rig.close();
    }
  };

  test('with two of them everything works, one after the other', () =>
    within(2, async (machine, host) => {
      const content = randomBytes(200_000);
      const writes = Array.from({ length: 6 }, (_, i) => machine.write(`/srv/kx-test/${i}`, content));
      const slow = machine.run(sh`sleep 30`, { timeoutSeconds: 0.3 });
      const next = machine.run(sh`echo next`);
      await expect(slow).rejects.toMatchObject({ code: 'KX3030' });
      expect((await next).stdout).toBe('next\n');
      await Promise.all(writes);
      expect(await host.exec('cat /srv/kx-test/? | wc -c')).toBe('1200000\n');
    }));

  test('with one of them a timeout still ends the command', () =>
    within(1, async (machine, host) => {
      const started = Date.now();
      await expect(machine.run(sh`sleep 95`, { timeoutSeconds: 0.3 })).rejects.toMatchObject({ code: 'KX3030' });
      // It does not wait for the session of a second shell, which it can never have.
      expect(Date.now() - started).toBeLessThan(4500);
      expect((await machine.run(sh`echo next`)).stdout).toBe('next\n');
      expect(await host.exec('ps -e -o args= | grep "[s]leep 95" || true')).toBe('');
    }));
});
