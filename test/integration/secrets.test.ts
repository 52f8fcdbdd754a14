import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUser, describeHosts } from '../rig/sshd.ts';
import { filesBelow } from '../support/files-below.ts';
import { Sample } from './sample.ts';

// Made anew each time: no source file can hold it by chance.
const MARK = randomBytes(9).toString('hex');
const PASSWORD = `pa$$'word" ${MARK}`;

/** Every process's arguments on this machine, the hosts' among them, but for some. */
function looksAtProcesses(but: ReadonlySet<string>, found: Set<string>): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !but.has(name))) {
    if (commandLine(pid).includes(MARK)) found.add(`argv of ${pid}`);
  }
}

/** Empty if it has ended meanwhile, and of the kernel's own. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

describeHosts('planted secrets', () => {
  let sample: Sample;
  beforeAll(async () => {
    sample = await Sample.start(2);
    for (const host of sample.rig.hosts) await addUser(host, { name: 'bob', password: PASSWORD, sudo: 'password' });
    sample.writeConfig('', 'user: bob, password: env:KX_TEST_PASSWORD, sudoPassword: env:KX_TEST_PASSWORD');
  });
  afterAll(() => sample.close());

  test('a password for SSH and sudo appears in no log, event, journal, argument or file', async () => {
    const found = new Set<string>();
    let over = false;
    const kernels = new Set(readdirSync('/proc').filter((pid) => commandLine(pid) === ''));
    const watching = (async () => {
      while (!over) {
        looksAtProcesses(kernels, found);
        await sleep(15);
      }
    })();
    // What a step that fails prints reaches the report by a way of its own.
    const says = '/srv/kx-test/sample.says';
    await sample.rig.hosts[0]?.exec(`echo ${Buffer.from(PASSWORD).toString('base64')} | base64 -d >${says}`);
    const failed = await sample.drive({
      with: { KX_TEST_PASSWORD: PASSWORD },
      params: { failOn: sample.names[0] ?? '' },
    });
    await sample.rig.hosts[0]?.exec(`rm ${says}`);
    const run = await sample.drive({ with: { KX_TEST_PASSWORD: PASSWORD }, params: { jobSeconds: 1 } });
    over = true;
    await watching;
    expect(run.report?.outcome, JSON.stringify(run.error ?? run.report)).toBe('succeeded');
    expect(failed.report?.outcome).toBe('failed');
    expect([...found]).toEqual([]);
    const said = JSON.stringify([run, failed]);
    expect(JSON.stringify(failed.report)).toContain('it said');
    for (const form of [PASSWORD, JSON.stringify(PASSWORD).slice(1, -1), Buffer.from(PASSWORD).toString('base64')]) {
      expect(said).not.toContain(form);
      for (const file of filesBelow(join(sample.dir, '.kubexm'))) {
        expect(readFileSync(file).includes(form), file).toBe(false);
      }
    }
    for (const host of sample.rig.hosts) {
      const left = await host.exec(
        `find /srv /run /home /root /tmp -xdev -type f -mmin -5 -exec grep -lF ${MARK} {} + 2>/dev/null || true`,
      );
      expect(left).toBe('');
    }
  });

  test('the work directory is for its owner alone', async () => {
    const open = execFileSync('find', [
      join(sample.dir, '.kubexm'),
      '-perm',
      '/077',
      '!',
      '-name',
      '*.prom',
    ]).toString();
    expect(open).toBe('');
  });
});
