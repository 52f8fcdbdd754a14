import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUser, describeHosts } from '../rig/sshd.ts';
import { filesBelow } from '../support/files-below.ts';
import { watchProcesses } from '../support/watch-processes.ts';
import { Sample } from './sample.ts';

// Created each time: no source file can hold it by chance.
const MARK = randomBytes(9).toString('hex');
const PASSWORD = `pa$$'word" ${MARK}`;

describeHosts('planted secrets', () => {
  let sample: Sample;
  beforeAll(async () => {
    sample = await Sample.start(2);
    for (const host of sample.rig.hosts) await addUser(host, { name: 'bob', password: PASSWORD, sudo: 'password' });
    sample.writeConfig('', 'user: bob, password: env:KX_TEST_PASSWORD, sudoPassword: env:KX_TEST_PASSWORD');
  });
  afterAll(() => sample.close());

  test('a password for SSH and sudo appears in no log, event, journal, argument or file', async () => {
    const watch = watchProcesses();
    // What a step that fails prints reaches the report by a way of its own.
    const says = '/srv/kx-test/sample.says';
    await sample.rig.hosts[0]?.exec(`echo ${Buffer.from(PASSWORD).toString('base64')} | base64 -d >${says}`);
    const failed = await sample.drive({
      with: { KX_TEST_PASSWORD: PASSWORD },
      params: { failOn: sample.names[0] ?? '' },
    });
    await sample.rig.hosts[0]?.exec(`rm ${says}`);
    const run = await sample.drive({ with: { KX_TEST_PASSWORD: PASSWORD }, params: { jobSeconds: 1 } });
    const words = await watch.stop();
    expect(run.report?.outcome, JSON.stringify(run.error ?? run.report)).toBe('succeeded');
    expect(failed.report?.outcome).toBe('failed');
    expect(words.filter((text) => text.includes(MARK))).toEqual([]);
    expect(words.length).toBeGreaterThan(10);
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
