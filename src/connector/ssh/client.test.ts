import { execFile, spawn } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fails, logsIn } from '../../../test/rig/ssh.ts';
import { addUser, describeHosts, type Rig, type RigHost, startProxy, startRig } from '../../../test/rig/sshd.ts';
import type { Target } from '../target.ts';
import { connectSsh } from './client.ts';

const run = promisify(execFile);

describeHosts('SSH login', () => {
  let rig: Rig;
  let host: RigHost;

  beforeAll(async () => {
    rig = await startRig({ sshd: ['UsePAM yes', 'KbdInteractiveAuthentication yes'] });
    host = rig.hosts[0] as RigHost;
    await addUser(host, { name: 'bob', password: 'opensesame', publicKey: `${rig.key}.pub` });
  });
  afterAll(() => rig.close());

  const keygen = async (name: string, ...args: string[]): Promise<string> => {
    const file = join(rig.dir, name);
    await run('ssh-keygen', ['-q', '-f', file, ...args]);
    await host.exec(`cat >>/home/bob/.ssh/authorized_keys <<'EOF'\n${await readFile(`${file}.pub`, 'utf8')}EOF`);
    return file;
  };

  describe('keys', () => {
    test.each([
      ['ed25519', ['-t', 'ed25519', '-N', '']],
      ['ecdsa', ['-t', 'ecdsa', '-b', '384', '-N', '']],
      ['rsa', ['-t', 'rsa', '-b', '2048', '-N', '']],
      ['rsa as PEM', ['-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', '']],
    ])('%s', async (name, args) => {
      const privateKeyPath = await keygen(`key-${name.replaceAll(' ', '-')}`, ...args);
      await logsIn(host.target({ user: 'bob', auth: { privateKeyPath } }));
      await logsIn(host.target({ user: 'bob', auth: { privateKey: await readFile(privateKeyPath, 'utf8') } }));
    });

    test.each([
      ['OpenSSH', ['-t', 'ed25519']],
      ['PEM', ['-t', 'rsa', '-b', '2048', '-m', 'PEM']],
    ])('an encrypted %s key: passphrase given, asked for, wrong, missing', async (name, args) => {
      const privateKeyPath = await keygen(`locked-${name}`, ...args, '-N', 'open it');
      const as = (auth: Target['auth']): Target => host.target({ user: 'bob', auth: { privateKeyPath, ...auth } });
      await logsIn(as({ passphrase: 'open it' }));
      const asked: string[] = [];
      await logsIn(
        as({
          askPassphrase: (file) => {
            asked.push(file);
            return Promise.resolve('open it');
          },
        }),
      );
      expect(asked).toEqual([privateKeyPath]);
      expect(await fails(as({ passphrase: 'wrong' }))).toMatchObject({
        code: 'KX3009',
        params: { reason: 'the passphrase is wrong' },
      });
      expect(await fails(as({}))).toMatchObject({ code: 'KX3009', params: { reason: 'no passphrase was given' } });
    });

    test('a key file that is missing, or is no private key', async () => {
      const as = (privateKeyPath: string): Target => host.target({ auth: { privateKeyPath } });
      expect(await fails(as('/nowhere/id'))).toMatchObject({ code: 'KX3008', params: { file: '/nowhere/id' } });
      expect(await fails(as(`${rig.key}.pub`))).toMatchObject({
        code: 'KX3008',
        params: { reason: 'it is a public key' },
      });
      await writeFile(join(rig.dir, 'rubbish'), 'rubbish');
      expect(await fails(as(join(rig.dir, 'rubbish')))).toMatchObject({ code: 'KX3008' });
    });

    test('identity files are merely tried', async () => {
      const wrong = join(rig.dir, 'unknown-key');
      await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', wrong]);
      await logsIn(host.target({ auth: { identityFiles: ['/nowhere/id', wrong, rig.key] } }));
      const error = await fails(host.target({ auth: { identityFiles: ['/nowhere/id', wrong] } }));
      expect(error).toMatchObject({ code: 'KX3004', params: { user: 'root', tried: `${wrong} (ssh-ed25519)` } });
      expect(error.params['offered']).toContain('publickey');
    });
  });

  describe('the agent', () => {
    test('is asked, can be restricted, and is missed when it is gone', async () => {
      const socket = join(rig.dir, 'agent');
      const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
      try {
        await expect
          .poll(() =>
            stat(socket).then(
              () => true,
              () => false,
            ),
          )
          .toBe(true);
        const other = await keygen('agent-other', '-t', 'ed25519', '-N', '');
        const env = { ...process.env, SSH_AUTH_SOCK: socket };
        await run('ssh-add', ['-q', other], { env });
        await logsIn(host.target({ user: 'bob', auth: { agent: socket } }));
        await logsIn(
          host.target({ user: 'bob', auth: { agent: socket, identitiesOnly: true, identityFiles: [other] } }),
        );
        const only = await fails(
          host.target({ user: 'bob', auth: { agent: socket, identitiesOnly: true, identityFiles: ['/other'] } }),
        );
        expect(only).toMatchObject({ code: 'KX3004', params: { tried: 'agent' } });
      } finally {
        agent.kill();
      }
      await expect
        .poll(() =>
          stat(socket).then(
            () => true,
            () => false,
          ),
        )
        .toBe(false);
      expect(await fails(host.target({ auth: { agent: socket } }))).toMatchObject({ code: 'KX3010' });
      await logsIn(host.target({ auth: { agent: socket, privateKeyPath: rig.key } }));
    });
  });

  describe('passwords', () => {
    const as = (auth: Target['auth']): Target => host.target({ user: 'bob', auth });

    test('keyboard-interactive, and plain', async () => {
      await logsIn(as({ password: 'opensesame' }));
      await logsIn(as({ password: 'opensesame', keyboardInteractive: false }));
    });

    test('a wrong one: what was tried and what is offered', async () => {
      const error = await fails(as({ password: 'wrong' }), { timeoutMs: 30_000 });
      expect(error).toMatchObject({ code: 'KX3004', params: { tried: 'keyboard-interactive, password' } });
      expect(error.params['offered']).toContain('password');
      expect(error.message).not.toContain('wrong');
    });

    test('nothing to try', async () => {
      expect(await fails(as({}))).toMatchObject({ code: 'KX3004', params: { tried: '-' } });
    });
  });

  const ipv6 = networkInterfaces()['lo']?.some((one) => one.address === '::1');
  test.skipIf(!ipv6)(`IPv6${ipv6 ? '' : ' needs ::1'}`, async () => {
    await host.exec(`sed -i 's/^ListenAddress.*/ListenAddress ::1\\nListenAddress 127.0.0.1/' /etc/ssh/kx_sshd_config`);
    await host.restart();
    for (const address of ['::1', '[::1]']) {
      await logsIn(host.target({ address, hostKeys: { pinFile: join(rig.dir, `v6-${address.length}`) } }));
    }
    expect(await readFile(join(rig.dir, 'v6-3'), 'utf8')).toContain(`[::1]:${host.port} `);
    expect(await readFile(join(rig.dir, 'v6-5'), 'utf8')).toBe(await readFile(join(rig.dir, 'v6-3'), 'utf8'));
  });

  test('a login can be given up', async () => {
    const abort = AbortSignal.timeout(50);
    const proxy = await startProxy(host.port, 1000);
    await expect(connectSsh(host.target({ port: proxy.port }), { signal: abort })).rejects.toThrow(/timeout/);
    await proxy.close();
  });
});
