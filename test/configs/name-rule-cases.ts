import { bad, type Case, changed, plus } from './cases.ts';
import { endpoint, etcd, kube } from './rule-helpers.ts';

const first = (text: string): readonly [string, string] => ['172.16.0.2}', `172.16.0.2, ${text}}`];
const named = (name: string): readonly [string, string] => ['name: node3', `name: ${name}`];
const extra = (domain: string): string => plus(`extra:\n  hosts: [{domain: ${domain}, address: 10.0.0.1}]\n`);

/** Names, logins, labels, taints and directories that have a meaning of their own. */
export const nameRuleCases: readonly Case[] = [
  ...['all', 'master', 'worker', 'etcd', 'loadbalancer', 'control-plane'].map((name) =>
    bad('KX2336', `a host called ${name}`, changed(named(name)), name, 'node1'),
  ),
  bad('KX2336', 'an address as name', changed(named('1.2.3.4')), '1.2.3.4'),
  bad('KX2336', 'a number as name', changed(named('"10"')), '"10"'),
  bad('KX2336', 'an address in hexadecimal', changed(named('"0x7f000001"'))),
  bad('KX2336', 'a name of /etc/hosts', changed(named('ip6-localhost')), 'ip6-localhost'),
  bad('KX2336', 'a name below localhost', changed(named('db.localhost'))),
  ...['root; reboot', '-oProxyCommand=id', '$(id)', 'a b', '`id`', "o'neill", 'root:secret', 'me|you', '../x'].map(
    (user) => bad('KX2337', `the user ${user}`, changed(first(`user: ${JSON.stringify(user)}`)), undefined, 'password'),
  ),
  bad('KX2337', 'the user of all hosts', plus('ssh:\n  user: "-l"\n'), '"-l"'),
  bad('KX2337', 'the user of a bastion', plus('ssh:\n  bastion: {address: 1.2.3.4, user: "a&b"}\n'), '"a&b"'),
  bad('KX2338', 'etcd in /tmp', changed(etcd('type: kubeadm\n    dataDir: /tmp/etcd')), '/tmp/etcd', '/tmp'),
  bad('KX2338', 'etcd in /var/tmp', changed(etcd('type: kubeadm\n    dataDir: /var//tmp/./etcd'))),
  bad('KX2339', 'etcd in /boot', changed(etcd('type: kubeadm\n    dataDir: /boot/etcd')), '/boot/etcd', '/boot'),
  bad('KX2339', 'etcd among keys', changed(etcd('type: kubeadm\n    dataDir: /root/.ssh'))),
  bad('KX2339', 'etcd in what kubexm keeps', changed(etcd('type: kubeadm\n    dataDir: /var/lib/kubexm/etcd'))),
  bad('KX2339', 'the kubelet in /etc', changed(kube('kubeletArgs: [--root-dir=/etc/kubernetes/kubelet]'))),
  bad('KX2339', 'containerd in /usr', plus('registry: {containerdDataDir: /usr/share/containerd}\n')),
  bad('KX2339', 'a registry in a home', plus('registry: {registryDataDir: /home/me/.ssh/registry}\n')),
  bad('KX2338', 'volumes in /tmp', plus('storage: {openebs: {basePath: /tmp/volumes}}\n')),
  ...['gpu', 'gpu=true', 'gpu=true:Sometimes', ':NoSchedule', 'a b:NoSchedule', 'gpu=a=b:NoSchedule'].map((taint) =>
    bad('KX2340', `the taint ${taint}`, changed(first(`taints: [${JSON.stringify(taint)}]`)), undefined, 'NoExecute'),
  ),
  bad('KX2421', 'the control plane is called like a host', endpoint('domain: node2\n'), 'node2'),
  bad(
    'KX2422',
    'the control plane is called like a service',
    endpoint('domain: kubernetes.default.svc.cluster.local\n'),
  ),
  bad('KX2422', 'the control plane is called kubernetes', endpoint('domain: kubernetes\n'), 'kubernetes'),
  bad('KX2422', 'the control plane is inside the cluster', endpoint('domain: lb.cluster.local\n'), 'lb.cluster.local'),
  bad('KX2422', 'a host inside the cluster', changed(named('n3.cluster.local')), 'n3.cluster.local'),
  bad(
    'KX2422',
    'a host inside a domain of its own',
    changed(named('n3.example.com'), kube('clusterName: example.com')),
    'n3.example.com',
  ),
  bad('KX2422', 'an entry for a service', extra('kubernetes.default.svc.cluster.local')),
  bad('KX2422', 'pods get another API server', plus('dns: {dnsEtcHosts: "10.0.0.1 kubernetes.default"}\n')),
  bad('KX2423', 'the control plane is this machine', endpoint('domain: localhost\n'), 'localhost'),
  bad('KX2423', 'the control plane is in localdomain', endpoint('domain: localhost.localdomain\n')),
  bad('KX2423', 'an entry for localhost', extra('localhost'), 'localhost'),
  bad('KX2423', 'an entry for a host', extra('node2'), 'node2'),
  bad('KX2423', 'an entry for the control plane', extra('lb.kubexm.local'), 'lb.kubexm.local'),
  bad('KX2423', 'localhost for pods', plus('dns: {dnsEtcHosts: "10.0.0.1 localhost"}\n')),
  bad('KX2423', 'a cluster called localhost', changed(kube('clusterName: localhost')), 'localhost'),
  ...['kubernetes.io/hostname', 'kubernetes.io/arch', 'kubernetes.io/os', 'beta.kubernetes.io/arch'].map((label) =>
    bad('KX2424', `the label ${label}`, changed(first(`labels: {${label}: x}`)), label, 'node1'),
  ),
  bad(
    'KX2425',
    'a worker called control plane',
    changed(['172.16.0.3}', '172.16.0.3, labels: {node-role.kubernetes.io/control-plane: ""}}']),
    'node-role.kubernetes.io/control-plane',
    'node2',
  ),
  bad('KX2425', 'a master called worker', changed(first('labels: {node-role.kubernetes.io/worker: ""}'))),
  bad('KX2426', 'a taint twice', changed(first('taints: ["a=1:NoExecute", "a=2:NoExecute"]')), '"a=2:NoExecute"', 'a'),
  bad(
    'KX2771',
    'etcd inside the kubelet',
    changed(etcd('type: kubeadm\n    dataDir: /var/lib/kubelet/etcd')),
    '/var/lib/kubelet/etcd',
    'kubelet',
  ),
  bad(
    'KX2771',
    'the kubelet and etcd in one',
    changed(kube('kubeletArgs: [--root-dir=/data/]'), etcd('type: kubeadm\n    dataDir: /data')),
    '/data',
  ),
  bad('KX2771', 'containerd inside etcd', plus('registry: {containerdDataDir: /var/lib/etcd/images}\n')),
  bad('KX2771', 'volumes inside containerd', plus('storage: {openebs: {basePath: /var/lib/containerd/volumes}}\n')),
];
