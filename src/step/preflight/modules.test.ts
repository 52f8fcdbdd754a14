import { expect, test } from 'vitest';
import { balancedBy } from '../../../test/plans/create-cases.ts';
import { configFor, planContextFor } from '../../../test/support/plan-context.ts';
import { proxyModeOf } from '../kubeadm/proxy-mode.ts';
import { lookFor } from './look-for.ts';
import { modulesToFind } from './modules.ts';
import { servedPorts, targetsIn, usedPorts } from './ports.ts';

const plain = configFor({ masters: 2, workers: 1 });
const spec = (line: string) => plain.replace('  network: {plugin: flannel}', line);

test.each<[string, string, string, (readonly string[])?]>([
  ['flannel', plain, 'overlay, br_netfilter, vxlan'],
  [
    'flannel without tunnels',
    spec('  network: {plugin: flannel, flannel: {backend: host-gw}}'),
    'overlay, br_netfilter',
  ],
  [
    'flannel by wireguard',
    spec('  network: {plugin: flannel, flannel: {backend: wireguard}}'),
    'overlay, br_netfilter, wireguard',
  ],
  ['calico', spec('  network: {plugin: calico}'), 'overlay, br_netfilter, ipip'],
  [
    'calico by vxlan',
    spec('  network: {plugin: calico, calico: {ipipMode: Never, vxlanMode: Always}}'),
    'overlay, br_netfilter, vxlan',
  ],
  ['cilium', spec('  network: {plugin: cilium}'), 'overlay, br_netfilter'],
  [
    'ipvs',
    plain.replace('v1.34.2', 'v1.34.2, proxyMode: ipvs'),
    'overlay, br_netfilter, ip_vs, ip_vs_rr, ip_vs_wrr, ip_vs_sh, vxlan',
  ],
  ['nftables', plain.replace('v1.34.2', 'v1.34.2, proxyMode: nftables'), 'overlay, br_netfilter, nf_tables, vxlan'],
  ['nftables by itself', plain, 'overlay, br_netfilter, nf_tables, vxlan', ['5.13.0', '6.1.0-28-amd64']],
  ['iptables by itself, for one machine', plain, 'overlay, br_netfilter, vxlan', ['6.1.0-28-amd64', '5.4.0']],
  [
    'iptables by itself, for an old Kubernetes',
    plain.replace('v1.34.2', 'v1.32.2'),
    'overlay, br_netfilter, vxlan',
    ['6.1.0-28-amd64'],
  ],
])('modules for %s', async (_name, config, modules, kernels = ['5.10.0']) => {
  const { cluster } = await planContextFor(config);
  expect(
    modulesToFind(cluster, proxyModeOf(cluster, kernels))
      .map(({ name }) => name)
      .join(', '),
  ).toBe(modules);
});

test('ports: what is used here, what others use, and whom one has to reach', async () => {
  const { cluster } = await planContextFor(plain);
  const [master, second, worker] = cluster.spec.hosts;
  expect(usedPorts(cluster, master!)).toEqual([2379, 2380, 6443, 10248, 10249, 10250, 10256, 10257, 10259]);
  // A worker has a proxy in front of the API servers.
  expect(usedPorts(cluster, worker!)).toEqual([6443, 10248, 10249, 10250, 10256, 10260]);
  expect(servedPorts(cluster, worker!)).toEqual([10250]);
  const reaches = (host: typeof master) => targetsIn(cluster)(host!).map((to) => `${to.host}:${to.port}`);
  expect(reaches(worker)).toEqual(['cp1:6443', 'cp2:6443']);
  expect(reaches(master)).toEqual(['cp2:6443', 'cp2:10250', 'node1:10250', 'cp2:2379', 'cp2:2380']);
  expect(reaches(second)[0]).toBe('cp1:6443');
});

test.each([
  ['internalLoadbalancer: kube-vip, lb_address: 10.1.0.100', { addresses: ['10.1.0.100'], port: 6443 }],
  ['externalLoadBalancer: kubexm-kn, lb_address: 10.3.0.100, port: 8443', { addresses: ['10.3.0.100'], port: 8443 }],
  ['externalLoadBalancer: external, lb_address: 10.3.0.100', undefined],
  ['internalLoadbalancer: haproxy', undefined],
])('%s: the first master asks for %j', async (endpoint, free) => {
  const text = balancedBy(endpoint).replace(/ {4}- \{name: lb.*\n| {4}loadbalancer.*\n/g, (line) =>
    endpoint.includes(': external') ? '' : line,
  );
  const { cluster } = await planContextFor(text);
  const wants = lookFor(cluster, 'iptables');
  expect(wants('cp1').free).toEqual(free);
  expect(wants('cp2').free).toBeUndefined();
});

test('the port that is tried is the one that API servers listen on', async () => {
  const { cluster } = await planContextFor(
    configFor({ more: '  controlPlaneEndpoint: {port: 8443, externalLoadBalancer: external, lb_address: 192.0.2.9}' }),
  );
  const [master, worker] = cluster.spec.hosts;
  expect(servedPorts(cluster, master!)).toContain(8443);
  expect(usedPorts(cluster, master!)).not.toContain(6443);
  expect(targetsIn(cluster)(worker!).map(({ port }) => port)).toEqual([8443]);
});
