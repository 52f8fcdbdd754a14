import { execFile, spawn } from 'node:child_process';
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fails, logsIn } from '../../../test/rig/ssh.ts';
import { addUser, describeHosts, type Rig, type RigHost, startProxy, startRig } from '../../../test/rig/sshd.ts';
import { kubexmError } from '../../model/errors/index.ts';
import type { Target } from '../target.ts';
import { connectSsh } from './client.ts';
import { KeyRing } from './key-ring.ts';

const run = promisify(execFile);

/** One round of what makes guessing a passphrase slow: opening the key is slow too. */
const LOCKED = ['-N', 'open it', '-a', '1'];

describeHosts('SSH login', () => {
  let rig: Rig;
  let host: RigHost;

  beforeAll(async () => {
    rig = await startRig({ sshd: ['UsePAM yes', 'KbdInteractiveAuthentication yes'] });
    host = rig.hosts[0] as RigHost;
    await addUser(host, { name: 'bob', password: 'opensesame', publicKey: `${rig.key}.pub` });
  });
  afterAll(() => rig.close());

  const place = (name: string): string => join(rig.dir, name.replaceAll(' ', '-'));
  /** Makes a key that lets bob in. */
  const keygen = async (name: string, ...args: string[]): Promise<string> => {
    const file = place(name);
    await run('ssh-keygen', ['-q', '-f', file, ...args]);
    await host.exec(`cat >>/home/bob/.ssh/authorized_keys <<'EOF'\n${await readFile(`${file}.pub`, 'utf8')}EOF`);
    return file;
  };
  /** Writes a key that is there in another format, which is quicker than to make one. */
  const rewrite = async (from: string, name: string, ...args: string[]): Promise<string> => {
    const file = place(name);
    await copyFile(from, file);
    await copyFile(`${from}.pub`, `${file}.pub`);
    await run('ssh-keygen', ['-q', '-p', '-P', '', '-f', file, ...args]);
    return file;
  };

  describe('keys', () => {
    let rsa: string;
    beforeAll(async () => {
      rsa = await keygen('rsa-of-all', '-t', 'rsa', '-b', '2048', '-N', '');
    });

    test.each([
      ['ed25519', () => keygen('ed25519', '-t', 'ed25519', '-N', '')],
      ['ecdsa', () => keygen('ecdsa', '-t', 'ecdsa', '-b', '384', '-N', '')],
      ['rsa', () => rsa],
      ['rsa as PEM', () => rewrite(rsa, 'rsa as PEM', '-m', 'PEM', '-N', '')],
    ])('%s', async (_name, make) => {
      const privateKeyPath = await make();
      await logsIn(host.target({ user: 'bob', auth: { privateKeyPath } }));
      await logsIn(host.target({ user: 'bob', auth: { privateKey: await readFile(privateKeyPath, 'utf8') } }));
    });

    test.each([
      ['OpenSSH', () => keygen('locked', '-t', 'ed25519', ...LOCKED)],
      ['PEM', () => rewrite(rsa, 'locked PEM', '-m', 'PEM', '-N', 'open it')],
    ])('an encrypted %s key: passphrase given, asked for, wrong, missing', async (_name, make) => {
      const privateKeyPath = await make();
      const as = (auth: Target['auth']): Target => host.target({ user: 'bob', auth: { privateKeyPath, ...auth } });
      await logsIn(as({ passphrase: 'open it' }));
      const asked: string[] = [];
      await logsIn(
        as({
          askPassphrase: (file: string) => {
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

    test('typing a passphrase is no part of the time to connect; a shared ring asks once', async () => {
      const privateKeyPath = await keygen('slowly-typed', '-t', 'ed25519', ...LOCKED);
      let asked = 0;
      const askPassphrase = async (): Promise<string> => {
        asked++;
        await sleep(2600);
        return 'open it';
      };
      const auth = { privateKeyPath, askPassphrase, keys: new KeyRing() };
      const target = host.target({ user: 'bob', auth });
      const gate = host.target({ name: 'gate', user: 'bob', auth });
      // The first way goes through a bastion: its key is asked for while the target waits.
      await logsIn(host.target({ bastions: [gate] }), { timeoutMs: 2500 });
      await Promise.all([logsIn(target, { timeoutMs: 2500 }), logsIn(target, { timeoutMs: 2500 })]);
      expect(asked).toBe(1);
    });

    test('a login can be given up while a question is open', async () => {
      const privateKeyPath = await keygen('never-typed', '-t', 'ed25519', ...LOCKED);
      const abort = new AbortController();
      const askPassphrase = () => {
        setTimeout(() => abort.abort(new Error('enough')), 20);
        return new Promise<string>(() => undefined);
      };
      const target = host.target({ user: 'bob', auth: { privateKeyPath, askPassphrase } });
      await expect(connectSsh(target, { signal: abort.signal })).rejects.toThrow('enough');
    });

    test('a key that is merely tried is asked for only when nothing else was given', async () => {
      const locked = await keygen('merely-tried', '-t', 'ed25519', ...LOCKED);
      const asked: string[] = [];
      const askPassphrase = (file: string): Promise<string> => {
        asked.push(file);
        return Promise.resolve('open it');
      };
      const as = (auth: Target['auth']): Target =>
        host.target({ user: 'bob', auth: { identityFiles: [locked], askPassphrase, ...auth } });
      await logsIn(as({ password: 'opensesame' }));
      await logsIn(as({ privateKeyPath: rig.key }));
      expect(asked).toEqual([]);
      const error = await fails(as({ password: 'wrong' }), { timeoutMs: 30_000 });
      expect(error.params['tried']).toContain(`${locked} (no passphrase was given)`);
      expect(asked).toEqual([]);
      await logsIn(as({}));
      expect(asked).toEqual([locked]);
      const unasked = await fails(
        as({ askPassphrase: () => Promise.reject(kubexmError('KX1040', { question: 'q' })) }),
      );
      expect(unasked.params['tried']).toBe(`${locked} (a question cannot be asked here: q)`);
      const cancelled = await fails(
        as({ askPassphrase: () => Promise.reject(kubexmError('KX1041', { question: 'q' })) }),
      );
      expect(cancelled.code).toBe('KX1041');
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
        // What the agent has opened needs no passphrase, named or merely tried.
        const locked = await rewrite(other, 'agent-locked', ...LOCKED);
        const missed = await fails(host.target({ user: 'bob', auth: { agent: socket, privateKeyPath: locked } }));
        expect(missed).toMatchObject({ code: 'KX3009' });
        await run('ssh-add', ['-q', other], { env });
        await logsIn(host.target({ user: 'bob', auth: { agent: socket } }));
        const askPassphrase = () => Promise.reject(new Error('asked'));
        await logsIn(host.target({ user: 'bob', auth: { agent: socket, privateKeyPath: locked, askPassphrase } }));
        await logsIn(host.target({ user: 'bob', auth: { agent: socket, identityFiles: [locked], askPassphrase } }));
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
