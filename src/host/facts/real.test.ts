import { hostname, totalmem } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHosts, type Rig, type RigHost, startRig } from '../../../test/rig/sshd.ts';
import { connectMachine, localMachine } from '../connect.ts';

describeHosts('facts of real machines', () => {
  let rig: Rig;
  let host: RigHost;
  beforeAll(async () => {
    rig = await startRig();
    host = rig.hosts[0] as RigHost;
  });
  afterAll(() => rig.close());

  test('this one', async () => {
    const machine = await localMachine({ stateDir: `${rig.dir}/state`, runDir: `${rig.dir}/run` });
    await machine.close();
    expect(machine.facts).toMatchObject({ hostname: hostname(), root: true });
    expect(Math.abs(machine.facts.memoryBytes - totalmem())).toBeLessThan(totalmem() / 100);
    expect(machine.facts.mounts.map((mount) => mount.path)).toContain('/');
  });

  test('a host without tools tells what it can', async () => {
    const tools = ['ip', 'stat', 'systemd-detect-virt', 'readlink', 'sort', 'uname', 'date'];
    await host.exec(
      `for t in ${tools.join(' ')}; do for f in /bin/$t /usr/bin/$t /sbin/$t /usr/sbin/$t; do mv $f $f.away 2>/dev/null; done; done; true`,
    );
    const machine = await connectMachine(host.target());
    await machine.close();
    const { facts } = machine;
    expect(facts).toMatchObject({ hostname: 'host1', root: true, mounts: [], timeOffsetMs: 0 });
    expect(facts.cpus).toBeGreaterThan(0);
    expect(facts.addresses).toContainEqual({ device: 'lo', address: '127.0.0.1', prefix: 8, family: 4 });
    expect(facts.commands).not.toContain('ip');
  });
});
