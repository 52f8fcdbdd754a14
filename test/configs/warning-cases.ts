import { bad, type Case, changed, plus } from './cases.ts';
import { BALANCERS, endpoint, etcd, kube } from './rule-helpers.ts';

/** With these a configuration still loads. */
export const warningCases: readonly Case[] = [
  bad('KX2901', 'password in the file', changed(['172.16.0.2}', '172.16.0.2, password: hunter2}']), 'hunter2', '1'),
  bad(
    'KX2902',
    'even number of etcd members',
    changed(etcd('type: kubexm'), ['worker:', 'etcd: [node1, node2]\n    worker:']),
    'etcd',
    '2',
  ),
  bad(
    'KX2902',
    'even number of masters with etcd',
    endpoint(
      'internalLoadbalancer: haproxy\n',
      ['master: [node1]', 'master: [node1, node2]'],
      ['[node2, node3]', '[node3]'],
    ),
    'master',
  ),
  bad('KX2903', 'host without a role', changed(['[node2, node3]', '[node2]']), 'node3'),
  bad(
    'KX2905',
    'gate that is always on',
    changed(kube('featureGates: {ExpandCSIVolumes: true}')),
    'true',
    'ExpandCSIVolumes',
  ),
  bad(
    'KX2906',
    'excluded address',
    changed(kube('proxyMode: ipvs\n    kubeProxyConfiguration: {ipvs: {excludeCIDRs: [172.16.0.2/24]}}')),
    '172.16.0.2/24',
    '172.16.0.0/24',
  ),
  bad('KX2907', 'placeholder', plus('registry:\n  auths: {r.example.com: {username: me, password: "***"}}\n'), '"***"'),
  bad('KX2908', 'host twice in a role', changed(['[node2, node3]', '[node2, "node[2:3]"]']), '"node[2:3]"', 'node2'),
  bad('KX2909', 'ipvs in 1.35', changed(['v1.34.2', 'v1.35.0\n    proxyMode: ipvs']), 'ipvs'),
  bad('KX2910', 'loopback', changed(['172.16.0.2', '127.0.0.1']), undefined, 'node1'),
  bad(
    'KX2911',
    'one load balancer',
    endpoint('externalLoadBalancer: kubexm\nlb_address: 172.16.0.99\n', BALANCERS),
    'loadbalancer',
  ),
];
