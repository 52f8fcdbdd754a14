import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fails, logsIn, says } from '../../../test/rig/ssh.ts';
import {
  addUser,
  describeHosts,
  freePort,
  type Rig,
  type RigHost,
  startProxy,
  startRig,
} from '../../../test/rig/sshd.ts';
import type { Target } from '../target.ts';
import { connectSsh, createHops } from './client.ts';

describeHosts('bastions', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({ hosts: 3 });
    for (const host of rig.hosts) await addUser(host, { name: 'bob', password: 'opensesame' });
  });
  afterAll(() => rig.close());

  const jump = (one: RigHost, changes: Partial<Target> = {}): Target =>
    one.target({ name: `gate ${one.name}`, ...changes });

  test('a chain, each with its own user and key', async () => {
    const [a, b, c] = rig.hosts as [RigHost, RigHost, RigHost];
    const bob = { user: 'bob', auth: { password: 'opensesame' } };
    await logsIn(c.target({ hostKeys: { pinFile: join(rig.dir, 'chain') }, bastions: [jump(a, bob), jump(b)] }));
  });

  test('a server that dies behind a bastion is noticed at once: the bastion and the others stay', async () => {
    const [a, b, c] = rig.hosts as [RigHost, RigHost, RigHost];
    const hops = createHops();
    const open = (host: RigHost) => connectSsh(host.target({ bastions: [jump(a)] }), { hops, keepaliveMs: 600_000 });
    const [first, second] = await Promise.all([open(b), open(c)]);
    const running = await first.exec('sleep 60');
    await b.cutConnections();
    expect(await Promise.race([first.closed, sleep(10_000, 'nobody noticed')])).toBeInstanceOf(Error);
    expect(await Promise.race([running.exit, sleep(10_000, 'nobody noticed')])).toEqual({});
    expect([first.alive, second.alive]).toEqual([false, true]);
    expect(await says(second, 'echo $USER')).toBe('root\n');
    await second.close();
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
    const denied = await fails(c.target({ bastions: [jump(a, { user: 'bob', auth: { password: 'no' } }), jump(b)] }), {
      timeoutMs: 30_000,
    });
    expect(denied).toMatchObject({ code: 'KX3013', params: { hop: 'gate host1' } });
    expect(denied.params['reason']).toContain('keyboard-interactive');
    const last = await fails(c.target({ port: closed, hostKeys: { pinFile }, bastions: [jump(a), jump(b)] }));
    expect(last).toMatchObject({ code: 'KX3013', params: { hop: 'gate host2' } });
  });
});
