import { beforeEach, expect, test } from 'vitest';
import { check, io } from '../../../test/contract/bench.ts';
import { useOneHost } from '../../../test/rig/one-host.ts';
import { describeSystemdHosts, type RigHost } from '../../../test/rig/sshd.ts';
import { seed, thorough } from '../../../test/rig/thorough.ts';
import { makeDebRepository } from '../../../test/support/deb-repository.ts';
import type { LinkedMachine } from '../../host/machine.ts';
import type { JobResult } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { type Packages, packages } from './packages.ts';
import { packagesUndoneHere } from './packages-undo.ts';

const step = packages.definition;
/** All together take minutes: these are tried in a thorough run only. */
function long(name: string, body: () => Promise<void>): void {
  if (thorough) test(name, body);
}
/** A plain run tries every other one of these, the rest in another run. */
let count = 0;
function inTurn(name: string, body: () => Promise<void>): void {
  if (thorough || (count++ + seed) % 2 === 0) test(name, body);
}
type Before = { readonly since: number };

/** All that a package may change, but what dpkg and apt keep of their own past. */
const PICTURE = `
dpkg-query -W -f='\${Package} \${db:Status-Abbrev} \${Version}\\n'
awk '/^Package:/ { name = $2 } /^Auto-Installed: 1/ { print "auto", name }' /var/lib/apt/extended_states 2>/dev/null | sort
find /etc /usr/sbin/policy-rc.d* /lib/systemd/system -name ld.so.cache -prune -o \\
  \\( -printf '%p %y %m %u:%g %l\\n' -type f -exec sha256sum {} + \\) | sort
systemctl list-unit-files --no-legend --no-pager | awk '{ print $1, $2 }' | sort
systemctl list-units --all --state=active --plain --no-legend --no-pager 'kxd-*' | awk '{ print $1, "active" }'
ls -A /var/lib/kubexm 2>/dev/null || true
`;

describeSystemdHosts('packages on a Debian with a real systemd', () => {
  let host: RigHost;
  let machine: LinkedMachine;
  useOneHost(
    async (one) => {
      ({ host, machine } = one);
      await makeDebRepository(host, [
        { name: 'kxd-alpha', role: 'kxd-role', service: true },
        { name: 'kxd-alpha', version: '2.0-1', role: 'kxd-role', service: true },
        { name: 'kxd-beta', role: 'kxd-role', service: true, depends: 'kxd-lib' },
        { name: 'kxd-lib' },
        { name: 'kxd-user', depends: 'kxd-lib' },
        { name: 'kxd-guest', depends: 'kxd-beta' },
        { name: 'kxd-modern', depends: 'kxd-alpha (>= 2.0)' },
        { name: 'kxd-old', role: 'kxd-role', depends: 'kxd-base', replaces: 'kxd-rival' },
        { name: 'kxd-base' },
        { name: 'kxd-rival' },
      ]);
    },
    { init: 'systemd' },
  );
  beforeEach(async () => {
    await host.exec(
      'rm -f /srv/kx-test/slow; { dpkg --configure -a; apt-mark unhold kxd-user; apt-mark showauto | grep ^kxd- | xargs -r apt-mark manual; dpkg --purge kxd-user kxd-guest kxd-modern kxd-beta kxd-lib kxd-alpha kxd-old kxd-base kxd-rival; } >/dev/null 2>&1; rm -rf /var/lib/kubexm; true',
    );
  });

  let jobs = 0;
  const job = async (work: unknown): Promise<JobResult> => {
    const key = `packages-${++jobs}`;
    const result = await machine.job({ key, script: work as Script, timeoutSeconds: 100 });
    await machine.forgetJob(key);
    return result;
  };
  const picture = async (): Promise<readonly string[]> => (await host.exec(PICTURE)).split('\n');
  const seenBy = async (want: Packages): Promise<Before> => {
    const found = await check(machine, step, want);
    expect(found.verdict).toBe('needed');
    return JSON.parse(JSON.stringify('seen' in found ? found.seen : null)) as Before;
  };
  const changed = async (want: Packages): Promise<Before> => {
    const seen = await seenBy(want);
    const result = await job(step.apply(machine, want, io));
    expect(result.code, result.stderr).toBe(0);
    expect((await check(machine, step, want)).verdict).toBe('satisfied');
    return seen;
  };
  const undone = async (want: Packages, seen: Before): Promise<string> => {
    // Not a job: so does the engine.
    const result = await machine.run(step.revert!(machine, want, seen) as Script, { timeoutSeconds: 100 });
    expect(result.code, result.stderr + result.stdout).toBe(0);
    return (result.reports ?? []).map(({ text }) => text).join('\n');
  };
  const status = async (name: string): Promise<string> =>
    host.exec(`dpkg-query -W -f='\${db:Status-Status} \${Version}' ${name} 2>/dev/null || true`);
  const statuses = (...names: readonly string[]) => Promise.all(names.map(status));
  const state = async (name: string): Promise<string> =>
    (await host.exec(`systemctl is-enabled ${name}; systemctl is-active ${name}; true`)).trim().replace('\n', ' ');
  const alphaIsThere = async (): Promise<void> => {
    await host.exec(
      '{ apt-get update; apt-get install -y kxd-alpha=1.0-1; apt-mark auto kxd-alpha; echo mine >>/etc/kxd-alpha.conf; systemctl enable --now kxd-alpha; } >/dev/null 2>&1',
    );
    expect(await state('kxd-alpha')).toBe('enabled active');
  };

  test('the lists are fetched when they are missing, nothing starts, and all goes again', async () => {
    await host.exec('rm -rf /var/lib/apt/lists/*');
    const before = await picture();
    const want: Packages = { install: ['kxd-beta'] };
    const seen = await changed(want);
    expect(seen).toEqual({ since: 0 });
    expect(await state('kxd-beta')).toBe('enabled inactive');
    expect(await host.exec('apt-mark showauto kxd-lib; stat -c %a /etc/kxd-beta.conf')).toBe('kxd-lib\n644\n');
    await undone(want, seen);
    expect(await picture()).toEqual(before);
    await undone(want, seen);
    expect(await picture()).toEqual(before);
  });

  test('packages that were expected are undone where they were expected', async () => {
    await alphaIsThere();
    const before = await picture();
    const want: Packages = { install: ['kxd-beta', 'kxd-user'] };
    const note = packagesUndoneHere.definition;
    expect(await check(machine, note, want)).toMatchObject({ verdict: 'needed', seen: { since: 0 } });
    const noted = (await machine.run(note.apply(machine, want, io) as Script)).code;
    expect([noted, (await check(machine, note, want)).verdict]).toEqual([0, 'satisfied']);
    await undone(want, await changed(want));
    expect((await check(machine, note, want)).verdict).toBe('satisfied');
    await changed(want);
    for (const _ of ['once', 'and again']) {
      const result = await machine.run(note.revert!(machine, want, { since: 0 }) as Script, { timeoutSeconds: 100 });
      expect(result.code, result.stderr).toBe(0);
      expect(await picture()).toEqual(before);
    }
  });

  test('what was replaced comes back: configuration, mark, enabled, running', async () => {
    await alphaIsThere();
    const before = await picture();
    const want: Packages = { install: ['kxd-beta'] };
    const seen = await changed(want);
    expect(await status('kxd-alpha')).toBe('config-files 1.0-1');
    expect(await state('kxd-beta')).toBe('enabled inactive');
    await undone(want, seen);
    expect(await picture()).toEqual(before);
  });

  long('what the mirror has forgotten meanwhile comes back in the same version', async () => {
    await alphaIsThere();
    const before = await picture();
    const want: Packages = { install: ['kxd-beta'] };
    const seen = await changed(want);
    await host.exec(
      'cd /srv/repo && mv Packages all && awk \'BEGIN { RS = ""; ORS = "\\n\\n" } !/Package: kxd-alpha\\n/\' all >Packages && apt-get update >/dev/null 2>&1',
    );
    expect(await host.exec('apt-cache madison kxd-alpha')).toBe('');
    await undone(want, seen);
    await host.exec('cd /srv/repo && mv all Packages && apt-get update >/dev/null 2>&1');
    expect(await picture()).toEqual(before);
  });

  inTurn('what is removed stops, and comes back', async () => {
    await alphaIsThere();
    await host.exec("printf '#!/bin/sh\\nexit 101\\n' >/usr/sbin/policy-rc.d && chmod 700 /usr/sbin/policy-rc.d");
    const before = await picture();
    const want: Packages = { remove: ['kxd-alpha'] };
    const seen = await changed(want);
    expect(await state('kxd-alpha')).toMatch(/inactive$/);
    await undone(want, seen);
    expect(await picture()).toEqual(before);
    await host.exec('rm /usr/sbin/policy-rc.d');
  });

  long('what runs is started again by its upgrade', async () => {
    await alphaIsThere();
    const want: Packages = { install: [{ name: 'kxd-alpha', version: '2.0' }] };
    const before = await picture();
    const seen = await changed(want);
    expect(await status('kxd-alpha')).toBe('installed 2.0-1');
    expect(await state('kxd-alpha')).toBe('enabled active');
    await undone(want, seen);
    expect(await picture()).toEqual(before);
  });

  inTurn('an upgrade that is rolled back goes back to the version; a reset takes it away', async () => {
    const before = await picture();
    const first: Packages = { install: [{ name: 'kxd-alpha', version: '1.0-1' }] };
    const second: Packages = { install: [{ name: 'kxd-alpha', version: '2.0-1' }] };
    const fresh = await changed(first);
    const older = await changed(second);
    expect([fresh, older]).toEqual([{ since: 0 }, { since: 1 }]);
    await undone(second, older);
    expect(await status('kxd-alpha')).toBe('installed 1.0-1');
    await changed(second);
    await undone(first, fresh);
    expect(await picture()).toEqual(before);
  });

  const oldIsReplaced = async () => {
    await host.exec('{ apt-get update; apt-get install -y kxd-old; } >/dev/null 2>&1');
    const before = await picture();
    const want: Packages = { install: ['kxd-beta'] };
    return { before, want, seen: await changed(want) };
  };

  test('what was replaced comes back with what it needs', async () => {
    const { before, want, seen } = await oldIsReplaced();
    await host.exec('dpkg --purge kxd-base >/dev/null');
    expect(await status('kxd-base')).not.toContain('1.0');
    await undone(want, seen);
    expect(await picture()).toEqual(before);
  });

  test('what was replaced does not come back at the cost of what others installed since', async () => {
    const { want, seen } = await oldIsReplaced();
    await host.exec('apt-get install -y kxd-rival >/dev/null 2>&1');
    expect(await undone(want, seen)).toContain('cannot be together with kxd-rival');
    expect(await statuses('kxd-rival', 'kxd-beta', 'kxd-lib')).toEqual(['installed 1.0-1', '', '']);
  });

  inTurn('what others need by now stays; the rest goes', async () => {
    await host.exec('apt-get update >/dev/null 2>&1');
    const want: Packages = { install: ['kxd-beta'] };
    const seen = await changed(want);
    await host.exec('apt-get install -y kxd-user >/dev/null 2>&1');
    expect(await undone(want, seen)).toContain('kxd-lib stays: kxd-user needs it');
    expect(await statuses('kxd-user', 'kxd-lib', 'kxd-beta')).toEqual(['installed 1.0-1', 'installed 1.0-1', '']);
  });

  inTurn('what is held back by now stays, with what it needs', async () => {
    const want: Packages = { install: ['kxd-beta'] };
    const seen = await changed(want);
    await host.exec('{ apt-get install -y kxd-user; apt-mark hold kxd-user; } >/dev/null 2>&1');
    expect(await undone(want, seen)).toContain('kxd-lib stays: what is held back needs it');
    expect(await statuses('kxd-user', 'kxd-lib', 'kxd-beta')).toEqual(['installed 1.0-1', 'installed 1.0-1', '']);
  });

  inTurn('what went does not come back at the cost of what others installed since', async () => {
    await alphaIsThere();
    const want: Packages = { install: ['kxd-beta'] };
    const seen = await changed(want);
    await host.exec('apt-get install -y kxd-guest >/dev/null 2>&1');
    const said = await undone(want, seen);
    expect(said).toContain('kxd-beta stays: kxd-guest needs it');
    expect(said).toContain('kxd-alpha stays as it is: its old version cannot be together with');
    expect(await statuses('kxd-guest', 'kxd-beta', 'kxd-alpha')).toEqual([
      'installed 1.0-1',
      'installed 1.0-1',
      'config-files 1.0-1',
    ]);
  });

  inTurn('what was upgraded does not go back at the cost of what others installed since', async () => {
    await alphaIsThere();
    const want: Packages = { install: [{ name: 'kxd-alpha', version: '2.0-1' }] };
    const seen = await changed(want);
    await host.exec('apt-get install -y kxd-modern >/dev/null 2>&1');
    expect(await undone(want, seen)).toContain('kxd-alpha stays as it is: its old version cannot be together with');
    expect(await statuses('kxd-modern', 'kxd-alpha')).toEqual(['installed 1.0-1', 'installed 2.0-1']);
    expect(await host.exec('ls -A /var/lib/kubexm 2>/dev/null || true')).toBe('');
  });

  inTurn('links that a package leaves behind go with it, and no others', async () => {
    await host.exec(
      'apt-get update >/dev/null 2>&1; ln -s /nowhere/before.service /etc/systemd/system/kx-before.service',
    );
    const before = await picture();
    const want: Packages = { install: ['kxd-beta'] };
    const seen = await changed(want);
    // Nobody knows any more that the package has made its link; and somebody makes links of their own.
    await host.exec(`rm -f /var/lib/systemd/deb-systemd-helper-enabled/kxd-beta.service.dsh-also
      ln -s /nowhere/theirs.service /etc/systemd/system/kx-theirs.service
      mkdir /etc/systemd/system/kx-theirs.target.wants
      ln -s /lib/systemd/system/theirs.service /etc/systemd/system/kx-theirs.target.wants/theirs.service`);
    await undone(want, seen);
    expect((await picture()).filter((line) => line.includes('kxd-beta'))).toEqual([]);
    const theirs = await host.exec(
      'cd /etc/systemd/system && ls -d kx-before.service kx-theirs.service kx-theirs.target.wants/*',
    );
    expect(theirs).toBe('kx-before.service\nkx-theirs.service\nkx-theirs.target.wants/theirs.service\n');
    await host.exec('cd /etc/systemd/system && rm -r kx-theirs.service kx-theirs.target.wants');
    expect(await picture()).toEqual(before);
    await host.exec('rm /etc/systemd/system/kx-before.service');
  });

  test('killed in the middle, applied again, undone: as before', async () => {
    await alphaIsThere();
    const before = await picture();
    const want: Packages = { install: ['kxd-beta'] };
    const seen = await seenBy(want);
    await host.exec('touch /srv/kx-test/slow');
    const work = machine.job({ key: 'killed', script: step.apply(machine, want, io) as Script, timeoutSeconds: 100 });
    work.catch(() => undefined);
    await host.exec(`until [ "$(dpkg-query -W -f='\${db:Status-Status}' kxd-beta)" = half-configured ]; do sleep 0.05; done
      systemctl kill --signal=KILL kubexm-job-killed.service`);
    await expect(work).rejects.toMatchObject({ code: 'KX3040' });
    await machine.forgetJob('killed');
    await host.exec('rm /srv/kx-test/slow');
    expect(await host.exec('/usr/sbin/policy-rc.d kxd-any start; echo $?'), 'what was left behind allows all').toBe(
      '0\n',
    );
    const half = await check(machine, step, want);
    expect(half).toMatchObject({
      verdict: 'needed',
      seen: { since: 1 },
      diff: [{ what: 'package kxd-beta', from: 'half installed' }],
    });
    await changed(want);
    await undone(want, seen);
    expect(await picture()).toEqual(before);
  });

  long('killed in the middle and undone at once: as before', async () => {
    await alphaIsThere();
    const before = await picture();
    const want: Packages = { install: ['kxd-beta'] };
    const seen = await seenBy(want);
    await host.exec('touch /srv/kx-test/slow');
    const work = machine.job({ key: 'killed', script: step.apply(machine, want, io) as Script, timeoutSeconds: 100 });
    work.catch(() => undefined);
    await host.exec(`until [ "$(dpkg-query -W -f='\${db:Status-Status}' kxd-beta)" = half-configured ]; do sleep 0.05; done
      systemctl kill --signal=KILL kubexm-job-killed.service; rm /srv/kx-test/slow`);
    await expect(work).rejects.toMatchObject({ code: 'KX3040' });
    await machine.forgetJob('killed');
    await undone(want, seen);
    expect(await picture()).toEqual(before);
  });

  inTurn('an unavailable package is named, and nothing is noted', async () => {
    const before = await picture();
    const version = await job(step.apply(machine, { install: [{ name: 'kxd-alpha', version: '3.0' }] }, io));
    expect([version.code, version.stderr.trim().split('\n').at(-1)]).toEqual([
      1,
      'no source of this machine has kxd-alpha 3.0',
    ]);
    const missing = await job(step.apply(machine, { install: ['kxd-none'] }, io));
    expect([missing.code, missing.stderr.trim().split('\n').at(-1)]).toEqual([
      100,
      'E: Unable to locate package kxd-none',
    ]);
    expect(await picture()).toEqual(before);
  });

  long('another package manager is waited for', async () => {
    await host.exec(
      `systemd-run -q --unit=kx-other python3 -c 'import fcntl,time; f=open("/var/lib/dpkg/lock-frontend","w"); fcntl.lockf(f, fcntl.LOCK_EX); time.sleep(3)'; sleep 0.5`,
    );
    const started = Date.now();
    const want: Packages = { install: ['kxd-lib'] };
    const seen = await changed(want);
    expect(Date.now() - started).toBeGreaterThan(1500);
    await undone(want, seen);
  });
});
