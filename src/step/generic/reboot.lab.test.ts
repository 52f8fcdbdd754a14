import { afterAll, beforeAll, expect, test } from 'vitest';
import { check, io } from '../../../test/contract/bench.ts';
import { describeLab, type TestLab, withLab } from '../../../test/lab/fixture.ts';
import { connectMachine } from '../../host/connect.ts';
import type { LinkedMachine } from '../../host/machine.ts';
import { beginReboot } from '../../host/os/reboot.ts';
import { sh } from '../../model/script.ts';
import { type Packages, packages } from './packages.ts';
import { reboot, rebootIfNeeded } from './reboot.ts';
import { type Service, service } from './service.ts';

/** Of what packages change, all but caches, logs and what apt and dpkg keep of their own past. */
const PICTURE = `
dpkg-query -W -f='\${Package} \${db:Status-Abbrev} \${Version}\\n'
apt-mark showmanual | sed 's/^/manual /'
find /etc /usr/sbin /usr/lib/systemd \\( -name '*-' -o -name ld.so.cache -o -name passwd -o -name group -o -name '*shadow' \\
  -o -name .pwd.lock \\) -prune -o \\( -printf '%p %y %m %u:%g %l\\n' -type f -exec sha256sum {} + \\) | sort
systemctl list-unit-files --no-legend --no-pager | awk '{ print $1, $2 }' | sort
systemctl list-units --all --state=active --plain --no-legend --no-pager --type=service 'chrony*' '*timesync*' | awk '{ print $1, "active" }'
ls -A /var/lib/kubexm 2>/dev/null || true
`;

describeLab('a whole machine', () => {
  let lab: TestLab;
  let machine: LinkedMachine;

  beforeAll(async () => {
    lab = await withLab(1);
    machine = await connectMachine(await lab.target(1), { reconnectMs: 60_000 });
  }, 300_000);
  afterAll(async () => {
    await machine?.close();
    await lab?.close();
  }, 60_000);

  const bootId = async (): Promise<string> => (await machine.run(sh`cat /proc/sys/kernel/random/boot_id`)).stdout;

  test('chrony takes the place of timesyncd, and gives it back', async () => {
    const picture = async (): Promise<readonly string[]> => (await lab.exec(1, PICTURE)).split('\n');
    const job = async (key: string, script: unknown): Promise<void> => {
      const result = await machine.job({ key, script: script as { script: string }, timeoutSeconds: 200 });
      expect(result.code, result.stderr).toBe(0);
      await machine.forgetJob(key);
    };
    await lab.exec(1, 'dpkg-query -W systemd-timesyncd');
    const before = await picture();
    const step = packages.definition;
    const want: Packages = { install: ['chrony', 'socat'] };
    const first = await check(machine, step, want);
    await job('install', step.apply(machine, want, io));
    expect((await check(machine, step, want)).verdict).toBe('satisfied');
    expect(await lab.exec(1, 'systemctl is-enabled chrony; systemctl is-active chrony || true')).toBe(
      'enabled\ninactive\n',
    );
    const seen = JSON.parse(JSON.stringify('seen' in first ? first.seen : null)) as { since: number };
    await job('undo', step.revert!(machine, want, seen));
    expect(await picture()).toEqual(before);
  }, 300_000);

  test('it restarts once, and a service that started with it is as wanted', async () => {
    await lab.exec(
      1,
      `printf '[Service]\\nExecStart=/bin/sleep 9000\\n[Install]\\nWantedBy=multi-user.target\\n' >/etc/systemd/system/kx-lab.service; echo 1 >/etc/kx-lab.conf`,
    );
    const want: Service = {
      unit: 'kx-lab',
      enabled: true,
      running: 'started',
      fingerprint: 'a',
      reads: ['/etc/kx-lab.conf'],
      settleSeconds: 1,
    };
    await machine.run(service.definition.apply(machine, want, io) as { script: string });
    const before = await bootId();
    await reboot.definition.apply(machine, { reason: 'a test', timeoutSeconds: 60 }, io);
    const after = await bootId();
    expect(after).not.toBe(before);
    expect((await check(machine, service.definition, want)).verdict).toBe('satisfied');
    expect(
      (await check(machine, service.definition, { ...want, fingerprint: 'b' })).verdict,
      'it has read what is there',
    ).toBe('satisfied');
    expect(await lab.exec(1, 'ls -A /var/lib/kubexm/reboot 2>/dev/null || true')).toBe('');
  }, 120_000);

  test('one of the same run that happened while nobody watched is not repeated', async () => {
    const owner = {
      run: 'run1',
      cluster: 'c',
      pipeline: 'p',
      user: 'tester',
      machine: 'box',
      pid: process.pid,
      since: new Date().toISOString(),
    };
    await machine.lock(owner);
    await machine.run(beginReboot('watched by nobody'));
    const before = await bootId();
    await lab.exec(1, 'systemctl --no-block reboot').catch(() => undefined);
    await expect.poll(() => bootId().catch(() => before), { timeout: 60_000, interval: 500 }).not.toBe(before);
    const now = await bootId();
    await reboot.definition.apply(machine, { reason: 'watched by nobody' }, io);
    expect(await bootId()).toBe(now);
    await machine.unlock();
  }, 120_000);

  test('the system asks for it: then only', async () => {
    const step = rebootIfNeeded.definition;
    const want = { reason: 'an upgrade', timeoutSeconds: 60 };
    expect((await check(machine, step, want)).verdict).toBe('satisfied');
    await lab.exec(1, 'touch /run/reboot-required');
    expect((await check(machine, step, want)).verdict).toBe('needed');
    await step.apply(machine, want, io);
    expect((await check(machine, step, want)).verdict).toBe('satisfied');
  }, 120_000);
});
