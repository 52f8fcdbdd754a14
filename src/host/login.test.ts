import { spawnSync } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTurn, onPath, shellFile } from '../../test/rig/posix-shells.ts';
import { addUser, describeHosts, type Rig, type RigHost, type RigUser, startRig } from '../../test/rig/sshd.ts';
import { survivesEverything } from '../../test/rig/survival.ts';
import { sh } from '../model/script.ts';
import { type ConnectOptions, connectMachine } from './connect.ts';
import type { LinkedMachine } from './machine.ts';

const SHELLS = ['dash', 'bash', 'busybox'];
/** A terminal, and every shell: what a shell must survive is dealt out to them. */
const PLACES = ['terminal', ...SHELLS.filter((name) => shellFile(name) !== undefined)];
const turnOf = (place: string) => inTurn(PLACES.indexOf(place), PLACES.length);
const BANNERS = `
echo "Welcome to the machine"
echo "Warning: authorized use only" >&2
printf 'no line end'
set -x
PS1=changed; alias sh=false; PATH=/nowhere
`;

describeHosts('logging in', () => {
  let rig: Rig;
  let host: RigHost;

  beforeAll(async () => {
    rig = await startRig();
    host = rig.hosts[0] as RigHost;
    const publicKey = `${rig.key}.pub`;
    const users: RigUser[] = [
      { name: 'asks', password: "pass'w ord$", sudo: 'password' },
      { name: 'free', sudo: 'nopasswd' },
      { name: 'term', password: 'secret', sudo: 'tty' },
      { name: 'freeterm', sudo: 'nopasswd-tty' },
      { name: 'stranger', password: 'secret' },
      { name: 'loud', password: 'secret', sudo: 'password', bashrc: BANNERS },
      { name: 'nologin', sudo: 'nopasswd', shell: '/bin/false' },
      { name: 'leaves', sudo: 'nopasswd', bashrc: 'echo go away; exit 4' },
    ];
    for (const user of users) await addUser(host, { ...user, publicKey });
  });
  afterAll(() => rig.close());

  const as = (user: string, options: ConnectOptions = {}): Promise<LinkedMachine> =>
    connectMachine(host.target({ user }), options);
  const becomesRoot = async (user: string, options: ConnectOptions = {}): Promise<void> => {
    const machine = await as(user, options);
    try {
      expect(machine.facts).toMatchObject({ user, root: true, hostname: 'host1' });
      const { stdout } = await machine.run(sh`id -u; echo $HOME $USER; umask; echo $PATH`);
      expect(stdout).toBe('0\n/root root\n0077\n/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n');
      expect(machine.runDir).toBe('/run/kubexm');
    } finally {
      await machine.close();
    }
  };
  const failsWith = async (
    code: string,
    login: Promise<LinkedMachine>,
  ): Promise<Error & { params: Record<string, string> }> => {
    const error = await login.then(
      (machine) => machine.close(),
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code });
    return error as Error & { params: Record<string, string> };
  };

  test('root', () => becomesRoot('root'));
  test('sudo that asks for the password', () => becomesRoot('asks', { sudoPassword: "pass'w ord$" }));
  test('sudo without a password, also when one is given', async () => {
    await becomesRoot('free');
    await becomesRoot('free', { sudoPassword: 'not needed' });
  });
  test('sudo that insists on a terminal', () => becomesRoot('term', { sudoPassword: 'secret' }));
  test('sudo that insists on a terminal but not on a password', () => becomesRoot('freeterm'));
  test('a login shell that prints banners, traces and breaks the environment', () =>
    becomesRoot('loud', { sudoPassword: 'secret' }));

  test('sudo with use_pty', async () => {
    await writeFile(host.path('/etc/sudoers.d/pty'), 'Defaults use_pty\n', { mode: 0o440 });
    try {
      await becomesRoot('asks', { sudoPassword: "pass'w ord$" });
      await becomesRoot('freeterm');
    } finally {
      await host.exec('rm /etc/sudoers.d/pty');
    }
  });

  test('secure_path without the usual places', async () => {
    await writeFile(host.path('/etc/sudoers.d/path'), 'Defaults secure_path=/usr/bin\n', { mode: 0o440 });
    try {
      await becomesRoot('free');
    } finally {
      await host.exec('rm /etc/sudoers.d/path');
    }
  });

  test('a wrong password is tried once', async () => {
    await host.exec('rm -f /var/log/auth.log /tmp/asked');
    await failsWith('KX3022', as('asks', { sudoPassword: 'wrong' }));
    const error = await failsWith('KX3022', as('term', { sudoPassword: 'wrong' }));
    expect(error.message).not.toContain('wrong ');
  });
  test('no password', async () => {
    await failsWith('KX3021', as('asks'));
    await failsWith('KX3021', as('term'));
  });
  test('a user whom sudo does not know', () => failsWith('KX3023', as('stranger', { sudoPassword: 'secret' })));
  test('a user who may not log in', async () => {
    const error = await failsWith('KX3020', as('nologin'));
    expect(error.params['reason']).toContain('exit code 1');
  });
  test('a login shell that leaves', async () => {
    const error = await failsWith('KX3020', as('leaves'));
    expect(error.params['reason']).toBe('go away; exit code 4');
  });

  test('no sudo at all', async () => {
    await host.exec('mv /usr/bin/sudo /usr/bin/sudo.away');
    try {
      await failsWith('KX3024', as('free'));
      await becomesRoot('root');
    } finally {
      await host.exec('mv /usr/bin/sudo.away /usr/bin/sudo');
    }
  });

  test('without becoming root', async () => {
    const machine = await as('stranger', { sudo: false });
    try {
      expect(machine.facts).toMatchObject({ user: 'stranger', root: false });
      expect((await machine.run(sh`id -un; echo $HOME`)).stdout).toBe('stranger\n/home/stranger\n');
      expect(machine.stateDir).toBe('/home/stranger/.local/state/kubexm');
      const job = await machine.job({ key: 'mine', script: sh`id -un`, timeoutSeconds: 10 });
      expect(job.stdout).toBe('stranger\n');
      await machine.forgetJob('mine');
    } finally {
      await machine.close();
    }
    expect(await host.exec('ls -A /home/stranger/.local/state')).toBe('');
  });

  test('the run directory cannot be made', async () => {
    await writeFile(host.path('/run/blocked'), '');
    const error = await failsWith('KX3020', as('root', { runDir: '/run/blocked/kubexm' }));
    expect(error.params['reason']).toContain('/run/blocked');
  });

  for (const name of ['tcsh', 'fish', 'zsh', 'ksh']) {
    const shell = onPath(name) ?? '';
    test.skipIf(shell === '')(`login shell ${name}${shell === '' ? ` needs ${name}` : ''}`, async () => {
      const user = `by${name}`;
      await addUser(host, { name: user, sudo: 'password', password: 'x', shell, publicKey: `${rig.key}.pub` });
      await becomesRoot(user, { sudoPassword: 'x' });
    });
  }

  describe('everything through a terminal and sudo', () => {
    let machine: LinkedMachine;
    beforeAll(async () => {
      machine = await as('term', { sudoPassword: 'secret' });
    });
    afterAll(() => machine.close());
    survivesEverything(() => machine, turnOf('terminal'));
  });
});

describeHosts('a forced command', () => {
  test('is distinguished from a shell', async () => {
    const rig = await startRig({ sshd: ['ForceCommand echo "This account is for file transfer only"; exit 3'] });
    try {
      const login = connectMachine((rig.hosts[0] as RigHost).target());
      await expect(login).rejects.toMatchObject({
        code: 'KX3020',
        params: { reason: 'This account is for file transfer only; exit code 3' },
      });
    } finally {
      await rig.close();
    }
  });
});

describe.each(SHELLS)('with %s as /bin/sh', (name) => {
  const file = shellFile(name);
  const title = file === undefined ? `needs ${name}` : 'over SSH';
  (file === undefined ? describe.skip : describeHosts)(title, () => {
    let rig: Rig;
    let machine: LinkedMachine;
    beforeAll(async () => {
      rig = await startRig();
      const [host] = rig.hosts as [RigHost];
      // Every applet before the system's own tools, as on Alpine.
      const applets =
        'for a in $(/kx-busybox --list); do ln -sf /kx-busybox /usr/local/bin/$a; done; ln -sf /kx-busybox /bin/sh';
      if (name === 'busybox') {
        await copyFile(file ?? '', host.path('/kx-busybox'));
        await host.exec(applets);
      } else await host.exec(`ln -sf ${file} /bin/sh`);
      machine = await connectMachine(host.target());
    });
    afterAll(async () => {
      await machine?.close();
      await rig?.close();
    });
    survivesEverything(() => machine, turnOf(name));

    test('jobs, locks and files', async () => {
      const owner = { run: 'r', cluster: 'c', pipeline: 'p', user: 'u', machine: 'm', pid: 1, since: 's' };
      await machine.lock(owner);
      expect(await machine.job({ key: 'k', script: sh`echo done; exit 3`, timeoutSeconds: 10 })).toMatchObject({
        code: 3,
        stdout: 'done\n',
      });
      await machine.forgetJob('k');
      await expect(machine.job({ key: 'slow', script: sh`sleep 60`, timeoutSeconds: 1 })).rejects.toMatchObject({
        code: 'KX3041',
      });
      await machine.forgetJob('slow');
      const content = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251));
      await machine.write('/srv/kx-test/big', content, { mode: '0640' });
      await machine.write('/srv/kx-test/small', content.subarray(0, 1000), { mode: '0600', owner: '1:2' });
      expect((await machine.run(sh`cat /srv/kx-test/big`)).bytes).toHaveLength(content.length);
      expect(Buffer.from((await machine.run(sh`cat /srv/kx-test/small`)).bytes)).toEqual(content.subarray(0, 1000));
      expect((await machine.run(sh`stat -c '%a %u %g' /srv/kx-test/big /srv/kx-test/small`)).stdout).toBe(
        '640 0 0\n600 1 2\n',
      );
      await machine.unlock();
    });
  });
});

const standalone = '/bin/busybox';
const replaces = spawnSync(standalone, ['ash', '-c', 'PATH=/nowhere command -v mv']).status === 0;

describe.runIf(replaces)(
  `with a /bin/sh that runs applets instead of programs${replaces ? '' : ' needs busybox-static'}`,
  () => {
    describeHosts('over SSH', () => {
      let rig: Rig;
      let host: RigHost;
      beforeAll(async () => {
        rig = await startRig();
        host = rig.hosts[0] as RigHost;
        await host.exec(`printf '#!/bin/sh\\necho the program\\n' >/usr/local/sbin/ip && chmod 755 /usr/local/sbin/ip`);
        await host.exec(`ln -sf ${standalone} /bin/sh`);
        await addUser(host, { name: 'free', sudo: 'nopasswd', shell: '/bin/sh', publicKey: `${rig.key}.pub` });
        await addUser(host, { name: 'freeterm', sudo: 'nopasswd-tty', publicKey: `${rig.key}.pub` });
      });
      afterAll(() => rig?.close());

      const runsThePrograms = async (user: string): Promise<void> => {
        const machine = await connectMachine(host.target({ user }));
        try {
          expect((await machine.run(sh`ip; echo "[$KX_SH]"; env | grep -c KX_SH`)).stdout).toMatch(
            /^the program\n\[\/bin\/\w+.*\]\n0\n$/,
          );
          const job = await machine.job({ key: 'k', script: sh`ip; find /bin/sh -exec ip \\;`, timeoutSeconds: 20 });
          expect(job).toMatchObject({ code: 0, stdout: 'the program\nthe program\n' });
          await machine.forgetJob('k');
        } finally {
          await machine.close();
        }
      };

      test('the programs of the machine run, in calls and in jobs', () => runsThePrograms('root'));
      test('by sudo, with and without a terminal', async () => {
        await runsThePrograms('free');
        await runsThePrograms('freeterm');
      });
      test('in bash where there is no dash; where there is neither, nothing is done', async () => {
        await host.exec('mv /bin/dash /bin/dash.away');
        await runsThePrograms('free');
        await host.exec('mv /bin/bash /bin/bash.away');
        await expect(connectMachine(host.target({ user: 'free' }))).rejects.toMatchObject({ code: 'KX3026' });
        await host.exec('/bin/bash.away -c "mv /bin/bash.away /bin/bash; mv /bin/dash.away /bin/dash"');
        await runsThePrograms('free');
      });
    });
  },
);
