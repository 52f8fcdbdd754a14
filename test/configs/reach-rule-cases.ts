import { bad, type Case, changed, plus } from './cases.ts';
import { BALANCERS, DUAL, endpoint, etcd, kube } from './rule-helpers.ts';

const PORTS = [22, 53, 2379, 2380, 10_248, 10_249, 10_250, 10_256, 10_257, 10_259, 30_000, 31_234, 32_767];
const IPV4 = [
  '0.0.0.0/8',
  '127.0.0.0/16',
  '169.254.0.0/18',
  '224.0.0.0/12',
  '239.1.0.0/16',
  '240.0.0.0/12',
  '0.0.0.0/0',
];
const IPV6 = ['::/112', '::ffff:10.0.0.0/112', 'fe80::/112', 'fe80:1::/112', 'ff02::/112', '64:ff9b::/112'];
const mtu = (value: number): string => plus(`network: {plugin: flannel, flannel: {mtu: ${value}}}\n`);
const outside = (endpoints: string, files = ''): string =>
  changed(etcd(`type: external\n    external: {endpoints: [${endpoints}]${files}}`));
const FILES = ', caFile: /a, certFile: /b, keyFile: /c';

/** Ports, addresses, networks and numbers that cannot work. */
export const reachRuleCases: readonly Case[] = [
  ...PORTS.map((port) => bad('KX2521', `port ${port}`, endpoint(`port: ${port}\n`), String(port), '6443')),
  bad(
    'KX2521',
    'the port of sshd',
    endpoint('port: 8022\n', ['172.16.0.2}', '172.16.0.2, port: 8022}']),
    '8022',
    'sshd',
  ),
  bad(
    'KX2521',
    'a range of node ports of its own',
    endpoint('port: 20005\n', kube('apiserverArgs: [--service-node-port-range=20000-20100]')),
    '20005',
    '20000-20100',
  ),
  bad(
    'KX2521',
    'a port of the network plugin',
    endpoint('port: 179\n', ['  etcd:\n', '  network: {plugin: calico}\n  etcd:\n']),
    '179',
    'calico',
  ),
  bad(
    'KX2521',
    'a balancer on a node',
    endpoint('externalLoadBalancer: kubexm\nlb_address: 172.16.0.99\nport: 10250\n', [
      'worker: [node2, node3]',
      'worker: [node2, node3]\n    loadbalancer: [node3]',
    ]),
    '10250',
    'kubelet',
  ),
  bad(
    'KX2521',
    'a balancer on a machine of its own',
    endpoint('externalLoadBalancer: kubexm\nlb_address: 172.16.0.99\nport: 22\n', BALANCERS),
    '22',
    'sshd',
  ),
  bad('KX2522', 'an address without a load balancer', endpoint('lb_address: 172.16.0.99\n'), '172.16.0.99'),
  bad('KX2523', 'loopback', endpoint('externalLoadBalancer: external\nlb_address: 127.0.0.1\n'), '127.0.0.1'),
  bad('KX2523', 'IPv6 loopback', endpoint('externalLoadBalancer: external\nlb_address: "::1"\n')),
  bad(
    'KX2514',
    'an external balancer of another family',
    endpoint('externalLoadBalancer: external\nlb_address: "2022::99"\n'),
    '"2022::99"',
  ),
  ...IPV4.flatMap((cidr) => [
    bad('KX2621', `pods in ${cidr}`, plus(`network: {kubePodsCIDR: ${cidr}}\n`), cidr, '10.0.0.0/8'),
    bad('KX2621', `services in ${cidr}`, plus(`network: {kubeServiceCIDR: ${cidr}}\n`), cidr),
  ]),
  ...IPV6.flatMap((cidr) => [
    bad('KX2621', `pods in ${cidr}`, dual(`10.233.64.0/18,${cidr}`, '10.233.0.0/18,fd86::/116')),
    bad('KX2621', `services in ${cidr}`, dual('10.233.64.0/18,fd85::/112', `10.233.0.0/18,${cidr}`)),
  ]),
  ...['10.96.0.0/29', '10.96.0.1/32', '10.96.0.0/30'].map((cidr) =>
    bad('KX2622', `services in ${cidr}`, plus(`network: {kubeServiceCIDR: ${cidr}}\n`), cidr, '/28'),
  ),
  bad('KX2622', 'few IPv6 services', dual('10.233.64.0/18,fd85::/112', '10.233.0.0/18,fd86::/125'), undefined, '/124'),
  ...[1, 68, 576, 1279, 9217, 65_535].map((value) => bad('KX2623', `MTU ${value}`, mtu(value), String(value), '1280')),
  bad('KX2623', 'MTU of calico', plus('network: {calico: {vethMTU: 500}}\n'), '500'),
  ...[0, 1, 63].map((value) =>
    bad('KX2624', `${value} processes`, changed(kube(`podPidsLimit: ${value}`)), `${value}`),
  ),
  ...[1, 9].map((value) => bad('KX2213', `${value} pods`, changed(kube(`maxPods: ${value}`)), `${value}`, '10')),
  ...[1, 1_000_000].map((value) =>
    bad(
      'KX2625',
      `a database of ${value} bytes`,
      changed(etcd(`type: kubeadm\n    quotaBackendBytes: ${value}`)),
      `${value}`,
    ),
  ),
  bad('KX2724', 'files without TLS', outside('"http://10.0.0.9:2379"', FILES), '"http://10.0.0.9:2379"', 'https'),
  bad('KX2724', 'one endpoint without TLS', outside('"https://10.0.0.8:2379", "http://10.0.0.9:2379"', FILES)),
  bad('KX2725', 'TLS without files', outside('"https://10.0.0.9:2379"'), '"https://10.0.0.9:2379"', 'caFile'),
  bad(
    'KX2725',
    'one endpoint with TLS',
    outside('"http://10.0.0.8:2379", "https://10.0.0.9:2379"'),
    '"https://10.0.0.9:2379"',
  ),
];

function dual(pods: string, services: string): string {
  return plus(`network:\n  kubePodsCIDR: "${pods}"\n  kubeServiceCIDR: "${services}"\n`, ...DUAL);
}
