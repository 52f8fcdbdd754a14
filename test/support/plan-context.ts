import { readFileSync } from 'node:fs';
import { loadConfig } from '../../src/config/index.ts';
import { parseFacts } from '../../src/host/facts/index.ts';
import type { ClusterHost } from '../../src/model/cluster/index.ts';
import type { Facts } from '../../src/model/facts.ts';
import { LOCAL } from '../../src/model/host.ts';
import type { PlanContext } from '../../src/plan/layers.ts';
import { planContext } from '../../src/runtime/plan-context.ts';

/** Machines whose facts were recorded. */
export type Recorded = 'debian-12' | 'ubuntu-24.04' | 'rocky-9' | 'opensuse-leap-15.6' | 'alpine-3.21';

const folder = new URL('../../src/host/facts/recorded/', import.meta.url);
const NOW = 1_735_787_045_000;

/** The facts of a recorded machine, with what a test says about it instead. The clock is right unless it says so. */
export function recordedFacts(system: Recorded, changes: Partial<Facts> = {}): Facts {
  const text = readFileSync(new URL(`${system}.txt`, folder), 'utf8');
  return { ...parseFacts(text, { sentAt: NOW, receivedAt: NOW, user: 'root' }), timeOffsetMs: 0, ...changes };
}

/** What a plan is made from, beside the configuration. */
export interface PlanContextOptions extends Partial<Pick<PlanContext, 'manifests' | 'artifacts' | 'assumeYes'>> {
  /** What the hosts are. Default: Debian 12. */
  readonly system?: Recorded | ((host: ClusterHost) => Recorded);
  /** What is different about a host. */
  readonly facts?: (host: ClusterHost) => Partial<Facts>;
}

/**
 * A context for planning, from the text of a configuration and recorded facts. Each host is a machine of its own: it has its
 * name, its addresses and a machine id of its own, no swap and one network card.
 */
export async function planContextFor(config: string, options: PlanContextOptions = {}): Promise<PlanContext> {
  const { cluster, problems } = await loadConfig({ text: config, file: 'cluster.yaml' });
  if (!cluster) throw new Error(`the configuration does not load: ${JSON.stringify(problems)}`);
  const { system = 'debian-12', facts, ...rest } = options;
  const known = new Map<Recorded, Facts>();
  const of = (name: Recorded): Facts => {
    const found = known.get(name) ?? recordedFacts(name);
    known.set(name, found);
    return found;
  };
  const all = cluster.spec.hosts.map((host, i): readonly [string, Facts] => [
    host.name,
    { ...of(typeof system === 'function' ? system(host) : system), ...own(host, i), ...facts?.(host) },
  ]);
  const every = Object.fromEntries([...all, [LOCAL, of('debian-12')]]);
  return planContext(cluster, every, { workDir: '/home/user/.kubexm/demo', assumeYes: false, ...rest });
}

/** What every machine has for itself. */
function own(host: ClusterHost, index: number): Partial<Facts> {
  const device = 'enp1s0';
  const addresses = host.internal.list.map((address) => {
    const family = address.includes(':') ? (6 as const) : (4 as const);
    return { device, address, prefix: family === 4 ? 24 : 64, family };
  });
  return {
    hostname: host.name,
    machineId: String(index + 1).padStart(32, '0'),
    swapBytes: 0,
    addresses: [
      { device: 'lo', address: '127.0.0.1', prefix: 8, family: 4 },
      { device: 'lo', address: '::1', prefix: 128, family: 6 },
      ...addresses,
    ],
    routes: [{ destination: 'default', device }],
  };
}

/** What a configuration for tests is made of. */
export interface ConfigParts {
  /** Default 1. */
  readonly masters?: number;
  /** Default 1. */
  readonly workers?: number;
  /** Default: v1.34.2 */
  readonly version?: string;
  /** More lines of `spec`, indented by two. */
  readonly more?: string;
}

/** A configuration of `cp1 …` and `node1 …`, by kubeadm with etcd on the masters and flannel. */
export function configFor({ masters = 1, workers = 1, version = 'v1.34.2', more = '' }: ConfigParts = {}): string {
  const line = (name: string, i: number, net: number) =>
    `    - {name: ${name}${i + 1}, address: 10.${net}.${Math.floor(i / 200)}.${(i % 200) + 1}}`;
  const group = (role: string, name: string, count: number) =>
    count === 0 ? [] : [`    ${role}: [${count === 1 ? `${name}1` : `'${name}[1:${count}]'`}]`];
  const lines = [
    'apiVersion: kubexm.mensylisir.io/v1alpha1',
    'kind: Cluster',
    'metadata: {name: demo}',
    'spec:',
    '  hosts:',
    ...Array.from({ length: masters }, (_, i) => line('cp', i, 1)),
    ...Array.from({ length: workers }, (_, i) => line('node', i, 2)),
    '  roleGroups:',
    ...group('master', 'cp', masters),
    ...group('worker', 'node', workers),
    `  kubernetes: {version: ${version}}`,
    '  etcd: {type: kubeadm}',
    `  network: {plugin: flannel${masters + workers > 64 ? ', kubePodsCIDR: 10.64.0.0/11' : ''}}`,
    ...(masters > 1 ? ['  controlPlaneEndpoint: {internalLoadbalancer: haproxy}'] : []),
    more,
  ];
  return `${lines.filter((one) => one !== '').join('\n')}\n`;
}
