import { afterAll, beforeAll, expect, test } from 'vitest';
import { check, io } from '../../../test/contract/bench.ts';
import { describeLab, type TestLab, withLab } from '../../../test/lab/fixture.ts';
import { thorough } from '../../../test/rig/thorough.ts';
import { connectMachine } from '../../host/connect.ts';
import type { LinkedMachine } from '../../host/machine.ts';
import { captureMachine, diffMachine, type MachineSnapshot } from '../../lab/diff/index.ts';
import type { Script } from '../../model/script.ts';
import type { AnyStep } from '../../plan/step.ts';
import { firewall } from './firewall.ts';
import { hostname } from './hostname.ts';
import { kernelModule } from './kernel-module.ts';
import { packageHold } from './package-hold.ts';
import { resolver } from './resolver.ts';
import { selinux } from './selinux.ts';
import { service } from './service.ts';
import { swap } from './swap.ts';
import { sysctl } from './sysctl.ts';
import { timezone } from './timezone.ts';
import { user } from './user.ts';
import { group } from './user-group.ts';

type Use = readonly [AnyStep, unknown];

const RULES = {
  state: 'open',
  rules: [{ port: 6443 }, { port: '30000-32767', protocol: 'udp', source: '10.1.0.0/16' }, { source: '10.2.0.0/16' }],
};
const APT =
  'export DEBIAN_FRONTEND=noninteractive; apt-get -qq update && apt-get -qq -y --no-install-recommends install';

/** With the real ones from their packages: half a minute each. */
function real(name: string, work: () => Promise<void>, timeout: number): void {
  test(name, { timeout }, async (context) => {
    if (!thorough) context.skip('only in a thorough run');
    await work();
  });
}

describeLab('a machine’s own settings', () => {
  let lab: TestLab;
  let machine: LinkedMachine;
  beforeAll(async () => {
    lab = await withLab(1);
    machine = await connectMachine(await lab.target(1));
  }, 300_000);
  afterAll(async () => {
    await machine?.close();
    await lab?.close();
  }, 60_000);

  const run = async (work: unknown): Promise<void> => {
    const { code, stderr } = await machine.run(work as Script, { timeoutSeconds: 120 });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  };
  const name = async (): Promise<string> => (await lab.machine(1)).name;
  const capture = async (): Promise<MachineSnapshot> => captureMachine(await name(), { env: lab.env });
  const differences = async (since: MachineSnapshot): Promise<unknown> =>
    (await diffMachine(await name(), { env: lab.env, since, ignoreRemains: true })).differences.filter(
      ({ key }) => !key.startsWith('/var/log/'),
    );

  /** Applies all, then reverts all, the last one first; the machine is then as before. */
  async function thereAndBack(uses: readonly Use[]): Promise<void> {
    const since = await capture();
    const undo: (() => Promise<void>)[] = [];
    for (const [step, want] of uses) {
      const first = await check(machine, step, want);
      expect(first.verdict, step.kind).toBe('needed');
      const seen: unknown = JSON.parse(JSON.stringify('seen' in first ? first.seen : null));
      await run(step.apply(machine, want, io));
      expect(await check(machine, step, want), step.kind).toMatchObject({ verdict: 'satisfied' });
      undo.unshift(async () => {
        await run(step.revert!(machine, want, seen));
        expect(await check(machine, step, want), step.kind).toEqual(first);
      });
    }
    expect(await differences(since)).not.toEqual([]);
    for (const one of undo) await one();
    expect(await differences(since)).toEqual([]);
  }

  test('are changed and put back without a trace', async () => {
    await lab.exec(1, "printf '/swapfile none swap sw 0 0\\n' >>/etc/fstab");
    await thereAndBack([
      [hostname.definition, { name: 'node-7.example' }],
      [timezone.definition, { zone: 'Asia/Shanghai' }],
      [kernelModule.definition, { modules: ['overlay'], optional: ['kx_no_such'] }],
      [
        sysctl.definition,
        { values: { 'net.ipv4.ip_forward': 1, 'net.ipv4.conf.all.rp_filter': 2, 'net.ipv4.tcp_keepalive_time': 600 } },
      ],
      [swap.definition, { state: 'off' }],
      [resolver.definition, { nameservers: ['192.0.2.53'], search: ['example.com'], options: ['ndots:2'] }],
    ]);
    expect((await check(machine, selinux.definition, { mode: 'permissive' })).verdict).toBe('satisfied');
    expect((await check(machine, firewall.definition, { state: 'disabled' })).verdict).toBe('satisfied');
  }, 300_000);

  test('accounts, holds and services are too', async () => {
    await thereAndBack([
      [group.definition, { name: 'kxdemo', system: true }],
      [user.definition, { name: 'kxdemo', group: 'kxdemo', system: true }],
      [packageHold.definition, { names: ['systemd'] }],
      [service.definition, { unit: 'systemd-timesyncd.service', enabled: false, running: 'stopped' }],
    ]);
  });

  real(
    'ufw lets in what is wanted, is disabled, and is as before after that',
    async () => {
      await lab.exec(1, `${APT} ufw iptables >/dev/null && ufw allow 22/tcp && ufw --force enable`);
      await thereAndBack([[firewall.definition, RULES]]);
      await thereAndBack([[firewall.definition, { state: 'disabled' }]]);
      await lab.exec(1, 'ufw --force disable && apt-get -qq -y purge ufw');
    },
    300_000,
  );

  real(
    'firewalld too',
    async () => {
      await lab.exec(
        1,
        `${APT} firewalld >/dev/null && firewall-cmd --quiet --state && for p in '' --permanent; do firewall-cmd --quiet $p --add-port=6000-6500/tcp && firewall-cmd --quiet $p --zone=trusted --add-source=10.9.0.0/16; done`,
      );
      await thereAndBack([[firewall.definition, RULES]]);
      await thereAndBack([[firewall.definition, { state: 'disabled' }]]);
      await lab.exec(1, 'apt-get -qq -y purge firewalld');
    },
    300_000,
  );

  real(
    'systemd-resolved gets the servers, and forgets them again',
    async () => {
      await lab.exec(1, `${APT} systemd-resolved >/dev/null; systemctl is-active systemd-resolved`);
      await thereAndBack([
        [resolver.definition, { nameservers: ['192.0.2.53', '2001:db8::53'], search: ['example.com'] }],
      ]);
    },
    300_000,
  );
});
