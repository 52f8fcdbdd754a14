import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { balancedBy } from '../../test/plans/create-cases.ts';
import { configFor, planContextFor } from '../../test/support/plan-context.ts';
import { catalogDirectory, readCatalog } from '../artifacts/catalog/index.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { createCluster } from '../pipeline/index.ts';
import { flannel } from './flannel.ts';
import { COMPONENTS, componentsOf, networkPorts, RUNTIME_COMPONENTS, supportedFields } from './index.ts';

const clusterOf = async (network: string): Promise<Cluster> => {
  const config = configFor({}).replace('  network: {plugin: flannel}', `  network: {${network}}`);
  return (await planContextFor(config)).cluster;
};

describe('every component', () => {
  const tasks = createCluster.modules.flatMap((module) => module.tasks.map(({ name }) => name));

  test('has a name of its own', () => {
    const names = COMPONENTS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(COMPONENTS.map((one) => [one.name, one] as const))(
    '%s: its tasks and catalog entries exist',
    async (_, one) => {
      expect(one.tasks.filter((task) => !tasks.includes(task))).toEqual([]);
      const { components } = await readCatalog(catalogDirectory());
      const cluster = await clusterOf('plugin: flannel');
      const entries = one.catalog(cluster).map(({ component }) => component);
      expect(entries.filter((entry) => !components.has(entry))).toEqual([]);
    },
  );

  test('of one kind excludes the others: a cluster has one Kubernetes, etcd, runtime and network', async () => {
    const kinds = componentsOf(await clusterOf('plugin: flannel')).map(({ kind }) => kind);
    for (const kind of ['kubernetes', 'etcd', 'runtime', 'network'] as const)
      expect(kinds.filter((one) => one === kind)).toHaveLength(1);
  });

  test('is listed here alone: nothing else tells one runtime or network from another', () => {
    const names = COMPONENTS.filter(({ kind }) => kind === 'runtime' || kind === 'network').map(({ name }) => name);
    const literal = new RegExp(`^.*'(?:${names.join('|')})'.*$`, 'gm');
    // The schema and the rules of the file, what the lab keeps on disk, and each component's own files may name them.
    const own = /^src\/(?:component|model|config|lab|host|cli)\/|(?:containerd|flannel|docker)[^/]*\.ts$|\.test\.ts$/;
    const naming = globSync('src/**/*.ts', { cwd: new URL('../..', import.meta.url) })
      .filter((file) => !own.test(file))
      .flatMap((file) =>
        (readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').match(literal) ?? []).map(
          (line) => `${file}: ${line.trim()}`,
        ),
      );
    expect(naming.filter((line) => !/example|modules: \[|runtime: 'containerd',$|unit: |name: '/.test(line))).toEqual(
      [],
    );
  });
});

test.each([
  ['plugin: flannel', 'UDP 8472'],
  ['plugin: flannel, flannel: {backend: host-gw}', '-'],
  ['plugin: flannel, flannel: {backend: udp}', 'UDP 8285'],
  ['plugin: flannel, flannel: {backend: wireguard}', 'UDP 51820'],
  ['plugin: calico', 'TCP 179'],
  ['plugin: calico, calico: {ipipMode: Never, vxlanMode: Always}', 'TCP 179, UDP 4789'],
  ['plugin: cilium', 'UDP 8472, TCP 4240'],
])('%s: nodes reach each other at %s', async (network, ports) => {
  expect(networkPorts(await clusterOf(network))).toBe(ports);
});

const PORTS: readonly (readonly [string, string, readonly number[]])[] = [
  ['internalLoadbalancer: haproxy', 'node1', [6443, 10_260]],
  ['internalLoadbalancer: nginx', 'cp1', []],
  ['externalLoadBalancer: kubexm-kh, lb_address: 10.3.0.100', 'lb1', [6443, 10_260]],
  ['externalLoadBalancer: kubexm-kn, lb_address: 10.3.0.100', 'node1', []],
  ['internalLoadbalancer: kube-vip, lb_address: 10.3.0.100', 'cp1', [2112]],
];

test.each(PORTS)('%s: load balancers listen on %s at %j', async (endpoint, name, ports) => {
  const { cluster } = await planContextFor(balancedBy(endpoint));
  const host = cluster.spec.hosts.find((one) => one.name === name)!;
  const balancers = componentsOf(cluster).filter(({ kind }) => kind === 'load-balancer');
  expect(balancers.flatMap((one) => one.ports?.(cluster, host) ?? []).map(({ port }) => port)).toEqual(ports);
});

test('flannel leaves its links and routes', async () => {
  const effects = flannel.effects?.(await clusterOf('plugin: flannel, kubePodsCIDR: 10.66.0.0/16'));
  expect(effects).toContainEqual({ type: 'links', prefix: 'flannel' });
  expect(effects).toContainEqual({ type: 'routes', within: '10.66.0.0/16' });
});

test('runtimes have the units and sockets that their projects give them', () => {
  const { docker, 'cri-o': crio } = RUNTIME_COMPONENTS;
  expect([crio.unit, crio.socket]).toEqual(['crio.service', '/run/crio/crio.sock']);
  expect([docker.unit, docker.socket]).toEqual(['cri-docker.service', '/run/cri-dockerd.sock']);
  expect(crio.images.load({ script: '/tmp/a.tar' }, 'registry.k8s.io/pause:3.10').script).not.toContain('podman');
});

test('values of one field are put together', () => {
  const fields = supportedFields();
  expect(fields.filter((field) => field.startsWith('spec.network.plugin='))).toEqual(['spec.network.plugin=flannel']);
  expect(new Set(fields).size).toBe(fields.length);
});

test('what kubelet, CNI plugins, kube-proxy and containerd make on a host stands in their descriptions alone', async () => {
  const cluster = await clusterOf('plugin: flannel');
  const used = componentsOf(cluster);
  const effects = [
    ...used.flatMap((one) => one.effects?.(cluster) ?? []),
    ...(RUNTIME_COMPONENTS.containerd.runtimeEffects?.(cluster) ?? []),
  ].map((effect) => Object.values(effect).join(' '));
  const known = ['kubepods', 'cni0', 'kube-ipvs0', 'KUBE-', 'io.containerd.runtime.v2.task'];
  for (const name of known) expect(effects.filter((one) => one.includes(name))).not.toEqual([]);
  const files = globSync('src/{step,task}/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  const listed = files.filter((file) => known.some((name) => readFileSync(file, 'utf8').includes(`'${name}`)));
  expect(listed).toEqual([]);
});

test.each([
  ['iptables', []],
  ['ipvs', ['ip_vs', 'ip_vs_rr', 'ip_vs_wrr', 'ip_vs_sh']],
  ['nftables', ['nf_tables']],
] as const)('kube-proxy in its mode %s needs its modules', async (mode, names) => {
  const cluster = await clusterOf('plugin: flannel');
  const proxy = COMPONENTS.find(({ name }) => name === 'kube-proxy');
  expect(proxy?.modules?.(cluster, mode).map(({ name }) => name)).toEqual(['br_netfilter', ...names]);
});
