import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUser, describeHosts, type Rig, type RigHost, startRig } from '../../test/rig/sshd.ts';
import { watchProcesses } from '../../test/support/watch-processes.ts';
import { sh } from '../model/script.ts';
import { connectMachine } from './connect.ts';

const MARK = randomBytes(8).toString('hex');
const PASSWORD = `password-${MARK}`;
const SECRET = `secret-${MARK}`;
/** Finds both, but not itself. */
const PATTERN = `[${MARK[0]}]${MARK.slice(1)}`;

describeHosts('secrets', () => {
  let rig: Rig;
  let host: RigHost;
  beforeAll(async () => {
    rig = await startRig();
    host = rig.hosts[0] as RigHost;
    await addUser(host, { name: 'bob', password: PASSWORD, sudo: 'password' });
    await addUser(host, { name: 'term', password: PASSWORD, sudo: 'tty' });
  });
  afterAll(() => rig.close());

  test.each(['bob', 'term'])('of %s are in no command line, environment or readable file', async (user) => {
    const watch = watchProcesses(['cmdline', 'environ']);
    const machine = await connectMachine(host.target({ user, auth: { password: PASSWORD } }), { heartbeatMs: 100 });
    await machine.lock({ run: 'r', cluster: 'c', pipeline: 'p', user: 'u', machine: 'm', pid: 1, since: 's' });
    const job = machine.job({
      key: 'k',
      script: sh`token=${SECRET}; sleep 0.3; printf '%s' "$token" | cat`,
      timeoutSeconds: 20,
    });
    // On a busy machine one look at all processes takes a while.
    for (let i = 0; i < 4 || watch.rounds() <= 10; i++) {
      await machine.run(sh`token=${SECRET}; sleep 0.02; printf '%s' "$token" >/dev/null`);
      await machine.batch([sh`test ${SECRET} = x`, sh`sleep 0.02`]);
      await machine.write('/srv/kx-test/token', `${SECRET}\n`, { mode: '0600' });
      await machine.write('/srv/kx-test/big', `${SECRET}\n`.repeat(10_000), { mode: '0600' });
    }
    const readable = await host.exec(
      `find /run /var/lib /srv /tmp /var/tmp /dev/shm -xdev -newer /etc/hostname -type f -exec grep -l '${PATTERN}' {} + 2>/dev/null | xargs -r stat -c '%a %n'`,
    );
    expect(readable).toContain('/run/kubexm/jobs/k/script');
    for (const line of readable.trim().split('\n')) {
      if (line.includes(rig.dir)) continue;
      expect(line).toMatch(/^600 /);
    }
    const open = await host.exec("find /run/kubexm -xdev -perm /077 -printf '%m %p\\n'");
    expect(open).toBe('');
    expect((await job).stdout).toBe(SECRET);
    await machine.forgetJob('k');
    await machine.close();
    const seen = await watch.stop();
    expect(seen.filter((text) => text.includes(MARK))).toEqual([]);
    expect(seen.some((text) => text.includes('sshd'))).toBe(true);
    const left = await host.exec(`grep -rl '${PATTERN}' /run /var/log /var/lib/sudo /tmp 2>/dev/null || true`);
    expect(left.split('\n').filter((name) => name !== '' && !name.includes(rig.dir))).toEqual([]);
  });

  test('no error says a password', async () => {
    const wrong = connectMachine(host.target({ user: 'bob', auth: { password: PASSWORD } }), { sudoPassword: SECRET });
    const error = await wrong.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'KX3022' });
    const { message, detail, params } = error as { message: string; detail?: string; params: unknown };
    expect(JSON.stringify([message, detail, params])).not.toContain(MARK);
  });
});
