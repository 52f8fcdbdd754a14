import { execFile } from 'node:child_process';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fails, logsIn } from '../../../test/rig/ssh.ts';
import { describeHosts, type Rig, type RigHost, startRig } from '../../../test/rig/sshd.ts';
import { errorRemedy } from '../../model/errors/index.ts';
import type { ShownKey } from '../target.ts';
import { hostKeyCheck } from './host-keys.ts';
import * as knownHosts from './known-hosts.ts';

vi.mock('./known-hosts.ts', { spy: true });

const run = promisify(execFile);
const OTHER = `SHA256:${'x'.repeat(43)}`;

describeHosts('host keys', () => {
  let rig: Rig;
  let host: RigHost;

  beforeAll(async () => {
    rig = await startRig({ hosts: 3, hostKeys: ['ed25519', 'rsa'] });
    host = rig.hosts[0] as RigHost;
  });
  afterAll(() => rig.close());

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
    const error = await fails(target);
    expect(error).toMatchObject({ code: 'KX3005', params: { known, seen, file: `${pinFile}:1` } });
    expect(await readFile(pinFile, 'utf8')).toBe(pinned);
    // What the error says forgets the old key, and nothing else.
    expect(errorRemedy('KX3005', error.params, 'en')).toContain(error.params['command']);
    await run('sh', ['-c', error.params['command'] ?? '']);
    await logsIn(target);
    expect(await readFile(pinFile, 'utf8')).toContain(await third.publicHostKey('ed25519'));
  });

  test('one that two connections see at once is pinned and told of once', async () => {
    const pinFile = join(rig.dir, 'twice/known_hosts');
    const told: ShownKey[] = [];
    const hostKeys = { pinFile, onPinned: (key: ShownKey) => void told.push(key) };
    await Promise.all([1, 2, 3].map((n) => logsIn(host.target({ name: `name${n}`, hostKeys }))));
    expect(await readFile(pinFile, 'utf8')).toBe(`[127.0.0.1]:${host.port} ${await host.publicHostKey()}\n`);
    expect(told).toHaveLength(1);
  });

  test('files are parsed once for all hosts, and again when they change', async () => {
    const parse = vi.mocked(knownHosts.parseKnownHosts).mockClear();
    const file = join(rig.dir, 'shared');
    await writeFile(file, `[127.0.0.1]:${host.port} ${await host.publicHostKey()}\n`);
    const target = host.target({ hostKeys: { pinFile: join(rig.dir, 'no-pins'), files: [file], policy: 'strict' } });
    await Promise.all([1, 2, 3].map(() => hostKeyCheck(target)));
    expect(parse).toHaveBeenCalledTimes(1);
    await writeFile(file, '');
    await hostKeyCheck(target);
    expect(parse).toHaveBeenCalledTimes(2);
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

  test('keys given in the configuration are the only ones, as fingerprints or as keys of any type', async () => {
    const [ed25519, rsa] = [await host.publicHostKey(), await host.publicHostKey('rsa')];
    const print = async (type: string) =>
      (await run('ssh-keygen', ['-lf', host.path(`/etc/ssh/kx_${type}.pub`)])).stdout.split(' ')[1] ?? '';
    const seen = await print('ed25519');
    const pinFile = join(rig.dir, 'not-pinned');
    const target = (...hostKey: string[]) => host.target({ hostKey, hostKeys: { pinFile, policy: 'strict' } });
    await logsIn(target(ed25519));
    await logsIn(target(seen));
    await logsIn(target(OTHER, `${rsa} somebody@somewhere`));
    // known_hosts has no say, neither for nor against it; but what is revoked there stays revoked.
    await writeFile(pinFile, `[127.0.0.1]:${host.port} ${await (rig.hosts[1] as RigHost).publicHostKey()}\n`);
    await logsIn(target(ed25519));
    await writeFile(pinFile, `[127.0.0.1]:${host.port} ${ed25519}\n`);
    expect(await fails(target(OTHER))).toMatchObject({
      code: 'KX3027',
      params: { host: host.name, known: OTHER, seen },
    });
    await writeFile(pinFile, `@revoked * ${ed25519}\n`);
    expect(await fails(target(ed25519))).toMatchObject({ code: 'KX3006' });
  });

  test('on a bastion too', async () => {
    const [bastion, behind] = [rig.hosts[0] as RigHost, rig.hosts[1] as RigHost];
    const through = async (hostKey: string) => behind.target({ bastions: [bastion.target({ hostKey: [hostKey] })] });
    await logsIn(await through(await bastion.publicHostKey()));
    const error = await fails(await through(OTHER));
    expect(error).toMatchObject({ code: 'KX3013', params: { hop: bastion.name } });
    expect(error.params['reason']).toContain(OTHER);
  });

  test('ask: nobody is waited for on an open connection; what is accepted is pinned, everything else refused', async () => {
    const asked: ShownKey[] = [];
    const pinFile = join(rig.dir, 'asked');
    const target = (answer: 'yes' | 'no' | 'nobody there') =>
      host.target({
        hostKeys: {
          pinFile,
          policy: 'ask',
          ask: async (key) => {
            asked.push(key);
            // Longer than a login may take.
            if (answer === 'yes') await new Promise((resolve) => setTimeout(resolve, 5500));
            return answer;
          },
        },
      });
    expect(await fails(target('no'))).toMatchObject({ code: 'KX3029' });
    expect(await fails(target('nobody there'))).toMatchObject({ code: 'KX3028' });
    expect(await fails(host.target({ hostKeys: { pinFile, policy: 'ask' } }))).toMatchObject({ code: 'KX3028' });
    await expect(stat(pinFile)).rejects.toThrow();
    await logsIn(target('yes'), { timeoutMs: 5000 });
    await logsIn(target('no'));
    expect(asked).toHaveLength(3);
    expect(asked[2]).toMatchObject({ host: host.name, address: '127.0.0.1', type: 'ssh-ed25519' });
    expect(await readFile(pinFile, 'utf8')).toBe(`[127.0.0.1]:${host.port} ${await host.publicHostKey()}\n`);
  });

  test('hosts pinned at the same time do not spoil the file', async () => {
    const pinFile = join(rig.dir, 'together');
    await writeFile(pinFile, '# no line end');
    await chmod(pinFile, 0o600);
    await Promise.all(rig.hosts.map((one) => logsIn(one.target({ hostKeys: { pinFile } }))));
    const lines = (await readFile(pinFile, 'utf8')).split('\n').filter(Boolean);
    expect(lines).toHaveLength(1 + rig.hosts.length);
  });
});
