import { execFile } from 'node:child_process';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fails, logsIn } from '../../../test/rig/ssh.ts';
import { describeHosts, type Rig, type RigHost, startRig } from '../../../test/rig/sshd.ts';

const run = promisify(execFile);

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
    const lines = (await readFile(pinFile, 'utf8')).split('\n').filter(Boolean);
    expect(lines).toHaveLength(1 + rig.hosts.length);
  });
});
