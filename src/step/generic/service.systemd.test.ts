import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { check, io } from '../../../test/contract/bench.ts';
import { useOneHost } from '../../../test/rig/one-host.ts';
import { describeSystemdHosts, type RigHost } from '../../../test/rig/sshd.ts';
import type { LinkedMachine } from '../../host/machine.ts';
import type { Output } from '../../model/host.ts';
import { rawScript, type Script } from '../../model/script.ts';
import { type Service, service } from './service.ts';
import { daemonReload } from './service-reload.ts';
import { restartWhenUndone } from './service-undo.ts';

const step = service.definition;

describeSystemdHosts('services under a real systemd', () => {
  let host: RigHost;
  let machine: LinkedMachine;
  useOneHost((one) => ({ host, machine } = one), { init: 'systemd' });

  let count = 0;
  let name = '';
  beforeEach(() => {
    name = `kx-case-${++count}`;
  });

  const unit = async (exec: string, more = '', type = 'simple'): Promise<void> => {
    const text = `[Service]\\nType=${type}\\nExecStart=/bin/sh -c "${exec}"\\n${more}\\n[Install]\\nWantedBy=multi-user.target\\n`;
    await host.exec(`printf '${text}' >/etc/systemd/system/${name}.service`);
  };
  const run = async (script: Script | Promise<unknown>): Promise<Output> => machine.run(script as Script);
  const apply = (want: Service): Promise<Output> => run(step.apply(machine, want, io) as Script);
  const changed = async (want: Service): Promise<unknown> => {
    const found = await check(machine, step, want);
    expect(found.verdict).toBe('needed');
    expect(await apply(want)).toMatchObject({ code: 0, stderr: '' });
    expect(await check(machine, step, want)).toEqual({ verdict: 'satisfied', output: undefined });
    return JSON.parse(JSON.stringify('seen' in found ? found.seen : null));
  };
  const show = async (property: string): Promise<string> =>
    (await host.exec(`systemctl show -p ${property} ${name}.service`)).trim().replace(/^.*?=/, '');
  const links = (): Promise<string> =>
    host.exec(
      `find /etc/systemd/system -name '${name}*' | sort; ls /var/lib/kubexm/services 2>/dev/null | grep '${name}' || true`,
    );

  test('is enabled and started, and undone to what it was', async () => {
    await unit('exec sleep 600');
    const before = await links();
    const want: Service = { unit: name, enabled: true, running: 'started', fingerprint: 'a', settleSeconds: 1 };
    const seen = await changed(want);
    expect([await show('ActiveState'), await show('UnitFileState')]).toEqual(['active', 'enabled']);
    const pid = await show('MainPID');
    expect(await apply(want)).toMatchObject({ code: 0 });
    expect(await show('MainPID'), 'applied again it stays').toBe(pid);
    for (const _ of [1, 2])
      expect(await run(step.revert!(machine, want, seen as never))).toMatchObject({ code: 0, stderr: '' });
    expect([await show('ActiveState'), await show('UnitFileState')]).toEqual(['inactive', 'disabled']);
    expect(await links()).toBe(before);
  });

  test('another fingerprint restarts it; the same does not', async () => {
    await unit('exec sleep 600');
    const want: Service = { unit: name, running: 'started', fingerprint: { unit: 'a' }, settleSeconds: 1 };
    await changed(want);
    const pid = await show('MainPID');
    const next = { ...want, fingerprint: { unit: 'b' } };
    expect(await check(machine, step, next)).toMatchObject({
      diff: [{ what: 'process', from: 'started with other files', to: 'restarted' }],
    });
    await changed(next);
    expect(await show('MainPID')).not.toBe(pid);
  });

  test('who was started by somebody else is judged by the age of its files', async () => {
    const config = `/etc/${name}.conf`;
    await unit('exec sleep 600');
    await host.exec(`echo 1 >${config}`);
    const want: Service = { unit: name, running: 'started', fingerprint: 'a', reads: [config], settleSeconds: 1 };
    await host.exec(`systemctl start ${name}`);
    expect((await check(machine, step, want)).verdict, 'adopted as it is').toBe('satisfied');
    await sleep(150);
    await host.exec(`echo 2 >${config}`);
    await changed(want);
    // Somebody who writes a file and starts at once what reads it, at every part of a second.
    for (const turn of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await host.exec(`systemctl reset-failed ${name}; echo by hand ${turn} >${config}; systemctl restart ${name}`);
      expect((await check(machine, step, { ...want, fingerprint: 'b' })).verdict, `by hand, ${turn}`).toBe('satisfied');
      await sleep(90);
    }
    await sleep(150);
    await host.exec(`echo 3 >${config}`);
    expect((await check(machine, step, { ...want, fingerprint: 'b' })).verdict).toBe('needed');
  });

  test('one that can is reloaded, and keeps its process', async () => {
    await unit('exec sleep 600', `ExecReload=/bin/touch /srv/kx-test/${name}`);
    const want: Service = { unit: name, running: 'started', fingerprint: 'a', reload: true, settleSeconds: 1 };
    await changed(want);
    const pid = await show('MainPID');
    await changed({ ...want, fingerprint: 'b' });
    expect(await show('MainPID')).toBe(pid);
    expect(await host.exec(`ls /srv/kx-test/${name}`)).not.toBe('');
  });

  test.each([
    ['dies at once', 'exit 3', '', /started and died: failed \(failed\), result exit-code, status 3$/],
    ['dies after a moment', 'sleep 0.7; exit 4', '', /started and died.*status 4$/],
    [
      'dies and is started again',
      'sleep 0.3; exit 5',
      'Restart=always\\nRestartSec=10',
      /started and died: activating \(auto-restart\)/,
    ],
    ['ends by itself', 'exit 0', '', /started and ended/],
  ])('one that %s is a failure', async (_how, exec, more, message) => {
    await unit(exec, more);
    const output = await apply({ unit: name, running: 'started', settleSeconds: 2 });
    expect(output.code).toBe(1);
    expect(output.stderr.trim()).toMatch(message);
    await host.exec(`systemctl stop ${name}; systemctl reset-failed ${name} 2>/dev/null; true`);
  });

  test('one that tells systemd itself when it is up is not watched beyond that', async () => {
    await unit('systemd-notify --ready; sleep 1; exit 6', 'NotifyAccess=all', 'notify');
    expect(await apply({ unit: name, running: 'started' })).toMatchObject({ code: 0 });
    const watched = await apply({ unit: name, running: 'started', settleSeconds: 2 });
    expect(watched.stderr.trim(), 'unless that is asked for').toMatch(/status 6$/);
    await host.exec(`systemctl stop ${name}; systemctl reset-failed ${name} 2>/dev/null; true`);
  });

  test('one whose start fails says what systemd said', async () => {
    await unit('exit 7', '', 'forking');
    const output = await apply({ unit: name, running: 'started' });
    expect(output.stderr.trim().split('\n').at(-1)).toMatch(/^systemctl start kx-case-\d+\.service: Job for .* failed/);
    await host.exec(`systemctl reset-failed ${name}`);
  });

  test('a changed unit file is read again', async () => {
    await unit('exec sleep 600');
    const want: Service = { unit: name, running: 'started', fingerprint: 'a', settleSeconds: 1 };
    await changed(want);
    await sleep(20);
    await unit('exec sleep 601');
    expect(await check(machine, daemonReload.definition, {})).toMatchObject({
      diff: [{ what: `${name}.service`, from: 'changed on disk' }],
    });
    expect(await check(machine, step, want)).toMatchObject({ diff: [{ what: 'unit file' }] });
    await changed({ ...want, fingerprint: 'b' });
    expect(await host.exec('ps -e -o args=')).toContain('sleep 601');
    await unit('exec sleep 602');
    const units = { units: [name] };
    expect((await check(machine, daemonReload.definition, units)).verdict).toBe('needed');
    await run(daemonReload.definition.apply(machine, units, io) as Script);
    expect((await check(machine, daemonReload.definition, units)).verdict).toBe('satisfied');
  });

  test('stopped, disabled and masked, and back', async () => {
    await unit('exec sleep 600');
    await host.exec(`mv /etc/systemd/system/${name}.service /usr/lib/systemd/system/ && systemctl daemon-reload`);
    await host.exec(`systemctl enable -q --now ${name}`);
    const before = await links();
    const want: Service = { unit: name, running: 'stopped', enabled: false, masked: true };
    const seen = await changed(want);
    expect([await show('ActiveState'), await show('UnitFileState')]).toEqual(['inactive', 'masked']);
    expect(await run(step.revert!(machine, want, seen as never))).toMatchObject({ code: 0, stderr: '' });
    expect([await show('ActiveState'), await show('UnitFileState')]).toEqual(['active', 'enabled']);
    expect(await links()).toBe(before);
  });

  test('one that ran before gets its old files back', async () => {
    const config = `/etc/${name}.conf`;
    await unit(`cp ${config} /srv/kx-test/${name}.read; exec sleep 600`);
    await host.exec(`echo old >${config}; systemctl start ${name}`);
    const note = restartWhenUndone.definition;
    const first = await check(machine, note, { unit: name });
    expect(first).toMatchObject({ verdict: 'needed', seen: { active: true } });
    await run(note.apply(machine, { unit: name }, io) as Script);
    expect((await check(machine, note, { unit: name })).verdict).toBe('satisfied');
    await host.exec(`echo new >${config}`);
    const want: Service = { unit: name, running: 'started', fingerprint: 'new', settleSeconds: 1 };
    const seen = await changed(want);
    expect(await host.exec(`cat /srv/kx-test/${name}.read`)).toBe('new\n');
    await run(step.revert!(machine, want, seen as never));
    await host.exec(`echo old >${config}`);
    for (const _ of [1, 2])
      expect(await run(note.revert!(machine, { unit: name }, { active: true }))).toMatchObject({ code: 0, stderr: '' });
    expect(await show('ActiveState')).toBe('active');
    await expect.poll(() => host.exec(`cat /srv/kx-test/${name}.read`)).toBe('old\n');
    expect(await check(machine, note, { unit: name })).toEqual(first);
    expect(await links()).toBe(`/etc/systemd/system/${name}.service\n`);
  });

  test('there is no such unit', async () => {
    expect(await check(machine, step, { unit: name, running: 'stopped', enabled: false })).toMatchObject({
      verdict: 'satisfied',
    });
    const want: Service = { unit: name, running: 'started' };
    expect(await check(machine, step, want)).toMatchObject({
      diff: [{ what: 'state', from: 'no unit', to: 'active' }],
    });
    expect((await apply(want)).stderr).toBe(`there is no unit ${name}.service on this machine\n`);
  });

  test('one that somebody has taken away since stays as it is', async () => {
    await unit('exec sleep 600');
    await host.exec(`systemctl daemon-reload; systemctl enable --now -q ${name}`);
    const want: Service = { unit: name, enabled: false, running: 'stopped' };
    const seen = await changed(want);
    await host.exec(`rm /etc/systemd/system/${name}.service; systemctl daemon-reload`);
    const back = await run(step.revert!(machine, want, seen as never) as Script);
    expect(back).toMatchObject({
      code: 0,
      reports: [{ type: 'left', text: `${name}.service stays as it is: there is no such unit any more` }],
      stderr: '',
    });
    // One that was not there before leaves no link to it behind, and there is nothing to tell.
    await unit('exec sleep 600');
    const before = await links();
    const on: Service = { unit: name, enabled: true };
    const first = await changed(on);
    await host.exec(`rm /etc/systemd/system/${name}.service; systemctl daemon-reload`);
    expect(await run(step.revert!(machine, on, first as never) as Script)).toMatchObject({ code: 0, stdout: '' });
    expect(await links()).toBe(before.replace(/.*\n/, ''));
  });

  test('nothing is left in the state directory', async () => {
    await machine.run(rawScript('rm -rf "$KX_STATE"/services'));
    await machine.close();
    expect(await host.exec('ls -A /var/lib | grep kubexm || true')).toBe('');
  });
});
