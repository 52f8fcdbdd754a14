import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { useOneHost } from '../../test/rig/one-host.ts';
import { describeSystemdHosts, type RigHost } from '../../test/rig/sshd.ts';
import { rawScript } from '../model/script.ts';
import type { LinkedMachine } from './machine.ts';

describeSystemdHosts('jobs as systemd units', () => {
  let host: RigHost;
  let machine: LinkedMachine;
  useOneHost((one) => ({ host, machine } = one), { init: 'systemd' });
  afterEach(async () => {
    expect(await host.exec('systemctl list-units --all --plain --no-legend "kubexm-job-*"')).toBe('');
  });

  const job = (key: string, script: string, timeoutSeconds = 30) =>
    machine.job({ key, script: rawScript(script), timeoutSeconds });

  test('the machine is seen as one with systemd', () => {
    expect(machine.facts.init).toBe('systemd');
  });

  test('a job is a unit of its own', async () => {
    const result = await job('unit', 'cat /proc/self/cgroup; umask; pwd; echo "$LC_ALL $HOME"; cat; exit 4');
    expect(result).toMatchObject({ code: 4, attached: false });
    expect(result.stdout).toContain('kubexm-job-unit.service');
    expect(result.stdout).toContain('\n0077\n/\nC /root\n');
    expect(await job('unit', 'echo again')).toMatchObject({ code: 4, attached: true });
    await machine.forgetJob('unit');
  });

  test('it outlives connections and the login session', async () => {
    const running = job('cut', 'sleep 1.5; echo done');
    await sleep(400);
    await host.stop();
    await sleep(300);
    await host.restart();
    expect(await running).toMatchObject({ stdout: 'done\n', attached: false });
    await machine.forgetJob('cut');
  });

  test('a timeout also ends what left the process tree', async () => {
    const script = 'trap "" TERM; (setsid sh -c "trap \\"\\" TERM; sleep 91" &); sleep 92; sleep 93';
    await expect(job('late', script, 1)).rejects.toMatchObject({ code: 'KX3041' });
    expect(await host.exec('ps -e -o args= | grep "[s]leep 9[123]" || true')).toBe('');
    await machine.forgetJob('late');
  });

  test('a unit that is killed is reported', async () => {
    const killed = job('killed', 'sleep 60');
    // It may be told before the one who killed it has ended.
    killed.catch(() => undefined);
    await expect.poll(() => host.exec('ls /run/kubexm/jobs/killed/pid 2>/dev/null || true')).not.toBe('');
    await host.exec('systemctl kill --signal=KILL kubexm-job-killed.service');
    await expect(killed).rejects.toMatchObject({ code: 'KX3040' });
    await machine.forgetJob('killed');
  });

  test('nothing is left', async () => {
    await machine.close();
    expect(await host.exec('ls -A /run /var/lib | grep kubexm || true')).toBe('');
  });
});
