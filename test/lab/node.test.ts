import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resetNodes, runPipeline } from '../../src/index.ts';
import { captureMachine, type MachineSnapshot } from '../../src/lab/diff/index.ts';
import { rebootMachine } from '../../src/lab/index.ts';
import type { RunEvent } from '../../src/model/event.ts';
import { nodeModule } from '../../src/module/node.ts';
import { definePipeline } from '../../src/plan/layers.ts';
import { LOGIN } from './behind-bastion.ts';
import { changesOn } from './changes.ts';
import { describeLab, type TestLab, withLab } from './fixture.ts';

/** What create does with machines before it installs anything. */
const prepare = definePipeline({
  name: 'prepare nodes',
  description: 'Prepares machines.',
  actsOn: ['**'],
  modules: [nodeModule],
});

/** How a run came to its end. */
interface Ended {
  readonly outcome: string;
  readonly failures: string;
  readonly changed: readonly string[];
}

const SHAPED = { outcome: 'succeeded', failures: '[]' };

/**
 * Two machines: `cp1`, where root logs in, which becomes the time server; and `node1`, where somebody logs in whom sudo asks for
 * a password, with a chrony that somebody has configured before.
 */
describeLab('preparing nodes', () => {
  let lab: TestLab;
  let dir: string;
  let before: readonly MachineSnapshot[];

  beforeAll(async () => {
    lab = await withLab(2, LOGIN);
    dir = mkdtempSync(join(tmpdir(), 'kubexm-lab-node-'));
    await lab.exec(
      1,
      'install -d -m 0700 /root/.ssh && cp /home/admin/.ssh/authorized_keys /root/.ssh/ && chown -R root: /root/.ssh',
    );
    await lab.exec(1, 'printf "nameserver 192.0.2.1\\nsearch lan\\n" >/etc/resolv.conf; apt-get -qq update');
    await lab.exec(
      2,
      `export DEBIAN_FRONTEND=noninteractive; { apt-get -qq update && apt-get -qq -y --no-install-recommends install chrony; } >/dev/null 2>&1
echo 'server 192.0.2.123 iburst' >>/etc/chrony/chrony.conf && systemctl restart chrony && printf '/swapfile none swap sw 0 0\\n' >>/etc/fstab`,
    );
    const machines = (await lab.look()).machines;
    before = await Promise.all(machines.map(({ name }) => captureMachine(name, { env: lab.env })));
    const [first, second] = machines;
    writeFileSync(
      join(dir, 'cluster.yaml'),
      `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: prepared}
spec:
  ssh: {privateKeyPath: ${first!.sshKeyPath}, sshConfig: none}
  hosts:
  - {name: cp1, address: ${first!.address}, user: root}
  - {name: node1, address: ${second!.address}, user: admin, sudoPassword: 'file:${second!.sudoPasswordFile}'}
  roleGroups: {master: [cp1], etcd: [cp1], worker: [node1]}
  kubernetes: {version: v1.34.4}
  extra:
    hosts: [{domain: mirror.example.com, address: 192.0.2.7}]
    resolves: [{address: ${first!.address}}]
  system: {ntpServers: [cp1], timezone: Asia/Shanghai, debs: [tree, socat], rpms: [never]}
`,
    );
  }, 600_000);
  afterAll(async () => {
    await lab?.close();
    rmSync(dir, { recursive: true, force: true });
  }, 120_000);

  async function run(what: 'prepare' | 'dry run' | 'reset'): Promise<Ended> {
    const changed: string[] = [];
    const note = (event: RunEvent) => {
      if (event.type === 'node-finished' && ['changed', 'would-change'].includes(event.outcome))
        changed.push(event.node);
    };
    const how = { configFile: join(dir, 'cluster.yaml'), baseDir: dir, sinks: [note], dryRun: what === 'dry run' };
    const report =
      what === 'reset'
        ? await runPipeline(resetNodes, { nodes: ['cp1', 'node1'] }, how)
        : await runPipeline(prepare, undefined, how);
    return { outcome: report.outcome, failures: JSON.stringify(report.failures), changed: changed.sort() };
  }

  test('a dry run says what is going to change, and a run changes that', { timeout: 300_000 }, async () => {
    const foreseen = await run('dry run');
    expect(await changesOn(before[0]!.machine, { env: lab.env, since: before[0]! })).toEqual([]);
    const made = await run('prepare');
    expect(made).toMatchObject(SHAPED);
    expect(made.changed).toEqual(foreseen.changed);
  });

  test('the machines are as the configuration wants them', async () => {
    const { address } = await lab.machine(1);
    for (const [i, name] of ['cp1', 'node1'].entries()) {
      const said = await lab.exec(
        i + 1,
        `hostname; for name in mirror.example.com cp1 node1; do getent ahostsv4 $name | awk '/STREAM/ { print $3 }'; done; head -n1 /etc/resolv.conf; readlink /etc/localtime
cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/bridge/bridge-nf-call-iptables /proc/sys/kernel/panic
systemctl is-enabled chrony; systemctl is-active chrony; for name in socat tree iptables conntrack; do command -v $name; done | wc -l`,
      );
      expect(said.split('\n').slice(0, -1)).toEqual([
        name,
        'mirror.example.com',
        'cp1',
        'node1',
        `nameserver ${address}`,
        '../usr/share/zoneinfo/Asia/Shanghai',
        '1',
        '1',
        '10',
        'enabled',
        'active',
        '4',
      ]);
    }
    expect(await lab.exec(1, 'cat /etc/resolv.conf')).toBe(`nameserver ${address}\nnameserver 192.0.2.1\nsearch lan\n`);
    expect(await lab.exec(1, "grep -c '^Start-Date' /var/log/apt/history.log")).toBe('1\n');
    expect(await lab.exec(2, 'cat /etc/fstab')).not.toMatch(/^\/swapfile/m);
  });

  test('node1 takes the time from cp1', { timeout: 180_000 }, async () => {
    const { address } = await lab.machine(1);
    await expect
      .poll(() => lab.exec(2, 'chronyc -n sources'), { timeout: 150_000, interval: 1000 })
      .toContain(`^* ${address}`);
  });

  test('again: no change, and apt is not asked', { timeout: 120_000 }, async () => {
    const times = () => lab.exec(1, 'stat -c %Y /var/log/apt/history.log /var/lib/apt/lists /var/cache/apt');
    const untouched = await times();
    expect(await run('prepare')).toEqual({ ...SHAPED, changed: [] });
    expect(await times()).toBe(untouched);
  });

  test('after a restart of the machines: no change either', { timeout: 180_000 }, async () => {
    await Promise.all(before.map(({ machine }) => rebootMachine(machine, { env: lab.env })));
    expect(await run('prepare')).toEqual({ ...SHAPED, changed: [] });
  });

  test('reset: as before, and the chrony of before runs with its own configuration', { timeout: 300_000 }, async () => {
    const pid = await lab.exec(2, 'systemctl show -p MainPID --value chrony');
    expect(await run('reset')).toMatchObject(SHAPED);
    for (const since of before) expect(await changesOn(since.machine, { env: lab.env, since })).toEqual([]);
    expect(await lab.exec(2, 'systemctl show -p MainPID --value chrony')).not.toBe(pid);
    expect(await lab.exec(2, 'chronyc -n sources')).toContain('192.0.2.123');
  });
});
