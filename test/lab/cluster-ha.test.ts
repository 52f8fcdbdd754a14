import type { ChildProcess } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { labConfig } from '../../src/lab/config.ts';
import { cutMachine, startMachine } from '../../src/lab/index.ts';
import { thorough } from '../rig/thorough.ts';
import { BUILD, type ClusterLab, clusterLab, MINUTE, until } from './cluster-lab.ts';
import { describeLab, type TestLab } from './fixture.ts';
import { longestPause, startWriter } from './writer.ts';

type Balancer = 'kubexm-kh' | 'kubexm-kn' | 'haproxy' | 'nginx' | 'kube-vip';

/** A shape of the control plane. Every pair of choices that fit each other is in some cell. */
interface Cell {
  readonly balancer: Balancer;
  readonly kind: 'kubeadm' | 'binary';
  readonly etcd: 'stacked' | 'on masters' | 'on hosts of its own' | 'that exists';
}

const CELLS: readonly Cell[] = [
  { balancer: 'kubexm-kh', kind: 'kubeadm', etcd: 'on masters' },
  { balancer: 'kubexm-kn', kind: 'binary', etcd: 'on hosts of its own' },
  { balancer: 'haproxy', kind: 'binary', etcd: 'on masters' },
  { balancer: 'nginx', kind: 'kubeadm', etcd: 'stacked' },
  { balancer: 'kube-vip', kind: 'kubeadm', etcd: 'stacked' },
  { balancer: 'haproxy', kind: 'kubeadm', etcd: 'that exists' },
  { balancer: 'kubexm-kh', kind: 'binary', etcd: 'on hosts of its own' },
  { balancer: 'kube-vip', kind: 'binary', etcd: 'on masters' },
];

/** The longest that clients may be refused while a machine is away. */
const LIMIT = { 'kube-vip': 20_000, other: 10_000 };

/** Which machine is what: the masters, two workers, and where the cell has them load balancers and members of etcd. */
function rolesOf({ balancer, etcd }: Cell) {
  const counts = {
    master: 3,
    worker: 2,
    loadbalancer: balancer.startsWith('kubexm') ? 2 : 0,
    etcd: etcd === 'on hosts of its own' ? 3 : 0,
    owner: etcd === 'that exists' ? 1 : 0,
  };
  let next = 1;
  const take = (count: number) => Array.from({ length: count }, () => next++);
  return {
    master: take(counts.master),
    worker: take(counts.worker),
    loadbalancer: take(counts.loadbalancer),
    etcd: take(counts.etcd),
    owner: take(counts.owner),
    count: next - 1,
  };
}

const named = (config: string, name: string) => config.replace(/^ {2}name: .*$/m, `  name: ${name}`);
const list = (names: readonly string[]) => `[${names.join(', ')}]`;

async function configOf(lab: TestLab, cell: Cell): Promise<string> {
  const look = await lab.look();
  const roles = rolesOf(cell);
  const of = (places: readonly number[]) => list(places.map((place) => look.machines[place - 1]?.name ?? ''));
  const vip = (look.machines[0]?.address ?? '').replace(/\d+$/, '250');
  const outside = cell.balancer.startsWith('kubexm');
  const field = outside ? 'externalLoadBalancer' : 'internalLoadbalancer';
  const virtual = outside || cell.balancer === 'kube-vip' ? `, lb_address: ${vip}` : '';
  const members = cell.etcd === 'on masters' ? roles.master : roles.etcd;
  const groups = [
    `    master: ${of(roles.master)}`,
    `    worker: ${of(roles.worker)}`,
    ...(members.length > 0 ? [`    etcd: ${of(members)}`] : []),
    ...(outside ? [`    loadbalancer: ${of(roles.loadbalancer)}`] : []),
  ];
  const owned = look.machines.filter((_, i) => !roles.owner.includes(i + 1));
  return labConfig({ ...look, machines: owned })
    .replace(
      / {2}roleGroups:\n(?: {4}.*\n)+/,
      `  roleGroups:\n${groups.join('\n')}\n  controlPlaneEndpoint: {${field}: ${cell.balancer}${virtual}}\n`,
    )
    .replace('  kubernetes:\n', cell.kind === 'binary' ? '  kubernetes:\n    type: kubexm\n' : '  kubernetes:\n')
    .replace('    type: kubeadm\n', `    type: ${cell.etcd === 'stacked' ? 'kubeadm' : 'kubexm'}\n`);
}

/** Another cluster, on a machine of its own, whose etcd the cell uses. */
async function withExistingEtcd({ lab, dir, well }: ClusterLab, place: number): Promise<void> {
  const look = await lab.look();
  const machine = look.machines[place - 1];
  const own = readFileSync(join(dir, 'c.yaml'), 'utf8');
  const owner = named(labConfig({ ...look, machines: look.machines.slice(place - 1, place) }), 'owner')
    .replace(
      / {2}roleGroups:\n(?: {4}.*\n)+/,
      `  roleGroups: {master: [${machine?.name}], etcd: [${machine?.name}], worker: [${machine?.name}]}\n`,
    )
    .replace('    type: kubeadm\n', '    type: kubexm\n');
  writeFileSync(join(dir, 'c.yaml'), owner);
  await well(['create', 'cluster']);
  renameSync(join(dir, 'c.yaml'), join(dir, 'owner.yaml'));
  const file = (name: string) => `.kubexm/owner/certs/etcd/${name}`;
  const external = `    type: external
    external:
      endpoints: ["https://${machine?.address}:2379"]
      caFile: ${file('ca.crt')}
      certFile: ${file('apiserver-etcd-client.crt')}
      keyFile: ${file('apiserver-etcd-client.key')}
`;
  const guest = own
    .replace('    type: kubexm\n', external)
    .replace(/^ {4}version: .*$/m, '$&\n    apiserverArgs: [--etcd-prefix=/guest]');
  writeFileSync(join(dir, 'c.yaml'), guest);
}

/** Kills kubexm somewhere in the creation, and lets it go on. */
async function createdThroughKill({ kubexm, well }: ClusterLab): Promise<void> {
  const after = 5_000 + Math.random() * 60_000;
  let child: ChildProcess | undefined;
  const started = (own: ChildProcess) => {
    child = own;
  };
  const ended = kubexm(['create', 'cluster'], { started });
  await Promise.race([sleep(after), ended]);
  child?.kill('SIGKILL');
  const { code, stderr } = await ended;
  console.log(code === null ? `killed after ${Math.round(after / 1000)} s` : `ended with ${code} before it was killed`);
  if (code !== null) expect(code, stderr).toBe(0);
  await well(['create', 'cluster', ...(code === null ? ['--resume'] : [])]);
}

describeLab('a control plane of three masters', () => {
  test.for(CELLS)(
    '$balancer, $kind, etcd $etcd: created, unchanged, serving through power cuts, deleted',
    { timeout: BUILD },
    async (cell, context) => {
      if (!thorough) return context.skip('needs minutes: npm run test:lab');
      const roles = rolesOf(cell);
      const cluster = await clusterLab(roles.count, { config: (lab) => configOf(lab, cell) });
      context.onTestFinished(() => cluster.close(), 3 * MINUTE);
      const { lab, well, dir } = cluster;
      const { machines } = await lab.look();
      if (roles.owner[0] !== undefined) await withExistingEtcd(cluster, roles.owner[0]);

      const since = Date.now();
      await createdThroughKill(cluster);
      console.log(`created in ${Math.round((Date.now() - since) / 1000)} s`);
      await well(['create', 'cluster', '--detailed-exitcode']);
      await well(['check', 'cluster']);

      const client = roles.worker.at(-1) ?? 0;
      const writer = await startWriter(lab, client, join(dir, '.kubexm', lab.name, 'kubeconfig'));
      await until('a write', async () => writer.acknowledged.length > 0);
      for (const place of [...roles.master, ...roles.loadbalancer, ...roles.etcd]) {
        const name = machines[place - 1]?.name ?? '';
        const cut = Date.now();
        await cutMachine(name, { env: lab.env });
        await sleep(15_000);
        await until('a write', async () => (writer.acknowledged.at(-1)?.at ?? 0) > cut + 12_000);
        await startMachine(name, { env: lab.env });
        await until(
          `${name} is back`,
          async () => (await lab.exec(place, 'systemctl is-system-running || true')) !== '',
        );
        await until('all nodes ready', async () => (await cluster.states()).every((state) => state === 'Ready'));
        const pause = longestPause(writer.acknowledged, cut);
        console.log(`${name} (${roleOf(roles, place)}) cut: no write for ${(pause / 1000).toFixed(1)} s`);
        expect(pause).toBeLessThan(cell.balancer === 'kube-vip' ? LIMIT['kube-vip'] : LIMIT.other);
      }
      const written = writer.acknowledged.map(({ name }) => name);
      await writer.stop();
      const found = new Set((await cluster.kubectl('get configmaps -o name')).split('\n'));
      expect(written.filter((name) => !found.has(`configmap/${name}`))).toEqual([]);

      await well(['delete', 'cluster']);
      if (roles.owner.length > 0) {
        renameSync(join(dir, 'owner.yaml'), join(dir, 'c.yaml'));
        await well(['delete', 'cluster']);
      }
      expect(await cluster.traces()).toEqual({});
    },
  );
});

function roleOf(roles: ReturnType<typeof rolesOf>, place: number): string {
  if (roles.loadbalancer.includes(place)) return 'load balancer';
  return roles.etcd.includes(place) ? 'etcd' : 'master';
}
