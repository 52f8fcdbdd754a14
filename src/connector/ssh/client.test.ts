import { execFile, spawn } from 'node:child_process';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addUser,
  describeHosts,
  freePort,
  type Rig,
  type RigHost,
  startFaultyServer,
  startProxy,
  startRig,
} from '../../../test/rig/sshd.ts';
import type { Connection } from '../connection.ts';
import type { Target } from '../target.ts';
import { connectSsh, createHops, type SshOptions } from './client.ts';

const run = promisify(execFile);

/** What a command prints, over a connection. */
async function says(connection: Connection, command: string): Promise<string> {
  const channel = await connection.exec(command);
  let text = '';
  channel.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  channel.stderr.resume();
  await channel.exit;
  return text;
}

async function logsIn(target: Target, options: SshOptions = {}): Promise<void> {
  const connection = await connectSsh(target, options);
  expect(await says(connection, 'echo "$USER"')).toBe(`${target.user}\n`);
  await connection.close();
  expect(await connection.closed).toBeUndefined();
}

async function fails(
  target: Target,
  options: SshOptions = {},
): Promise<{ code: string; params: Record<string, string>; message: string }> {
  const error = await connectSsh(target, options).then(
    async (connection) => {
      await connection.close();
      throw new Error('it logged in');
    },
    (reason: unknown) => reason,
  );
  return error as { code: string; params: Record<string, string>; message: string };
}

describeHosts('SSH login', () => {
  let rig: Rig;
  let host: RigHost;

  beforeAll(async () => {
    rig = await startRig({
      hosts: 3,
      hostKeys: ['ed25519', 'ecdsa', 'rsa'],
      sshd: ['UsePAM yes', 'KbdInteractiveAuthentication yes'],
    });
    host = rig.hosts[0] as RigHost;
    for (const one of rig.hosts)
      await addUser(one, { name: 'bob', password: 'opensesame', publicKey: `${rig.key}.pub` });
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

  describe('host keys', () => {
    test('a new one is pinned, a changed one refused with both fingerprints', async () => {
      const pinFile = join(rig.dir, 'pins/known_hosts');
      const third = rig.hosts[2] as RigHost;
      const target = third.target({ hostKeys: { pinFile } });
      await logsIn(target);
      const pinned = await readFile(pinFile, 'utf8');
      expect(pinned).toBe(`[127.0.0.1]:${third.port} ${await third.publicHostKey('ed25519')}\n`);
      expect((await stat(pinFile)).mode & 0o777).toBe(0o600);
      await logsIn(target);
      expect(await readFile(pinFile, 'utf8')).toBe(pinned);
      const known = (await run('ssh-keygen', ['-lf', third.path('/etc/ssh/kx_ed25519.pub')])).stdout.split(' ')[1];
      await third.newHostKeys();
      await third.restart();
      const seen = (await run('ssh-keygen', ['-lf', third.path('/etc/ssh/kx_ed25519.pub')])).stdout.split(' ')[1];
      expect(await fails(target)).toMatchObject({ code: 'KX3005', params: { known, seen, file: `${pinFile}:1` } });
      expect(await readFile(pinFile, 'utf8')).toBe(pinned);
    });

    test('a key that is known of another type makes the server show that one', async () => {
      const file = join(rig.dir, 'rsa-known');
      await writeFile(file, `[127.0.0.1]:${host.port} ${await host.publicHostKey('rsa')}`);
      const pinFile = join(rig.dir, 'rsa-pins');
      await logsIn(host.target({ hostKeys: { pinFile, files: [file] } }));
      await expect(stat(pinFile)).rejects.toThrow();
    });

    test('strict: an unknown host is refused', async () => {
      const hostKeys = { pinFile: join(rig.dir, 'none'), policy: 'strict' as const };
      expect(await fails(host.target({ hostKeys }))).toMatchObject({ code: 'KX3007' });
    });

    test('revoked', async () => {
      const file = join(rig.dir, 'revoked');
      await writeFile(file, `@revoked * ${await host.publicHostKey()}\n`);
      expect(await fails(host.target({ hostKeys: { pinFile: join(rig.dir, 'none'), files: [file] } }))).toMatchObject({
        code: 'KX3006',
      });
    });

    test('a key given in the configuration is the only one', async () => {
      const hostKey = await host.publicHostKey();
      await logsIn(host.target({ hostKey }));
      expect(await fails(host.target({ hostKey: 'SHA256:something-else' }))).toMatchObject({
        code: 'KX3005',
        params: { known: 'SHA256:something-else' },
      });
    });

    test('hosts pinned at the same time do not spoil the file', async () => {
      const pinFile = join(rig.dir, 'together');
      await writeFile(pinFile, '# no line end');
      await chmod(pinFile, 0o600);
      await Promise.all(rig.hosts.map((one) => logsIn(one.target({ hostKeys: { pinFile } }))));
      const lines = (await readFile(pinFile, 'utf8')).trimEnd().split('\n');
      expect(lines).toHaveLength(1 + rig.hosts.length);
    });
  });

  describe('bastions', () => {
    const jump = (one: RigHost, changes: Partial<Target> = {}): Target =>
      one.target({ name: `gate ${one.name}`, ...changes });

    test('a chain, each with its own user and key', async () => {
      const [a, b, c] = rig.hosts as [RigHost, RigHost, RigHost];
      const bob = { user: 'bob', auth: { password: 'opensesame' } };
      await logsIn(c.target({ hostKeys: { pinFile: join(rig.dir, 'chain') }, bastions: [jump(a, bob), jump(b)] }));
    });

    test('targets share a bastion’s connection', async () => {
      const [a, b] = rig.hosts as [RigHost, RigHost];
      const proxy = await startProxy(a.port);
      const hops = createHops();
      const bastions = [jump(a, { port: proxy.port })];
      const connections = await Promise.all([1, 2, 3].map(() => connectSsh(b.target({ bastions }), { hops })));
      expect(await Promise.all(connections.map((one) => says(one, 'echo $USER')))).toEqual([
        'root\n',
        'root\n',
        'root\n',
      ]);
      expect(proxy.connections).toBe(1);
      proxy.cut();
      await Promise.all(connections.map((one) => one.closed));
      await logsIn(b.target({ bastions }), { hops });
      expect(proxy.connections).toBe(2);
      await proxy.close();
    });

    test('the hop that failed is named', async () => {
      const [a, b, c] = rig.hosts as [RigHost, RigHost, RigHost];
      const closed = await freePort();
      const pinFile = join(rig.dir, 'hops');
      const refused = await fails(c.target({ bastions: [jump(a), jump(b, { port: closed })] }));
      expect(refused).toMatchObject({ code: 'KX3013', params: { host: 'host3', hop: 'gate host1' } });
      const denied = await fails(
        c.target({ bastions: [jump(a, { user: 'bob', auth: { password: 'no' } }), jump(b)] }),
        { timeoutMs: 30_000 },
      );
      expect(denied).toMatchObject({ code: 'KX3013', params: { hop: 'gate host1' } });
      expect(denied.params['reason']).toContain('keyboard-interactive');
      const last = await fails(c.target({ port: closed, hostKeys: { pinFile }, bastions: [jump(a), jump(b)] }));
      expect(last).toMatchObject({ code: 'KX3013', params: { hop: 'gate host2' } });
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

describe('SSH failures', () => {
  const target = (port: number, changes: Partial<Target> = {}): Target => ({
    name: 'node1',
    address: '127.0.0.1',
    port,
    user: 'root',
    auth: { password: 'x' },
    hostKeys: { pinFile: '/dev/null' },
    bastions: [],
    ...changes,
  });

  test('refused', async () => {
    const port = await freePort();
    expect(await fails(target(port))).toMatchObject({ code: 'KX3001', params: { host: 'node1', port } });
  });

  test('a name that is not known', async () => {
    const error = await fails(target(22, { address: 'no-such-host.invalid' }));
    expect(error).toMatchObject({ code: 'KX3003', params: { address: 'no-such-host.invalid' } });
  });

  test.each([
    ['silent', 'KX3002'],
    ['stall-login', 'KX3002'],
    ['not-ssh', 'KX3014'],
    ['drop-handshake', 'KX3014'],
    ['drop-login', 'KX3014'],
    ['kick-login', 'KX3004'],
  ] as const)('a server that is %s', async (fault, code) => {
    const server = await startFaultyServer(fault);
    try {
      expect(await fails(target(server.port), { timeoutMs: 1000 })).toMatchObject({ code });
    } finally {
      await server.close();
    }
  });

  test('a server that opens no sessions', async () => {
    const server = await startFaultyServer('no-sessions');
    const connection = await connectSsh(target(server.port));
    await expect(connection.exec('true')).rejects.toMatchObject({ code: 'KX3015' });
    await connection.close();
    await server.close();
  });
});

describeHosts('few sessions', () => {
  test('channels wait for their turn', async () => {
    const rig = await startRig({ sshd: ['MaxSessions 2'] });
    try {
      const connection = await connectSsh((rig.hosts[0] as RigHost).target());
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => says(connection, `sleep 0.05; echo ${i}`)),
      );
      expect(answers).toEqual(Array.from({ length: 12 }, (_, i) => `${i}\n`));
      await connection.close();
    } finally {
      await rig.close();
    }
  });

  test('a dead connection is noticed by its silence', async () => {
    const rig = await startRig();
    const proxy = await startProxy((rig.hosts[0] as RigHost).port);
    try {
      const connection = await connectSsh((rig.hosts[0] as RigHost).target({ port: proxy.port }), { keepaliveMs: 100 });
      expect(await says(connection, 'echo here')).toBe('here\n');
      proxy.freeze();
      const started = Date.now();
      expect(await connection.closed).toMatchObject({ message: 'Keepalive timeout' });
      expect(Date.now() - started).toBeLessThan(3000);
      await expect(connection.exec('true')).rejects.toThrow();
    } finally {
      await proxy.close();
      await rig.close();
    }
  });
});
