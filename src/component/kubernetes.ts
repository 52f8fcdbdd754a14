import { dirname } from 'node:path';
import { hostsOf, isNode } from '../model/cluster/cluster.ts';
import type { Cluster, ClusterHost } from '../model/cluster/index.ts';
import { apiServerPort } from '../model/cluster/places.ts';
import type { ProxyMode } from '../model/cluster/proxy-mode.ts';
import type { Effect } from '../model/effect.ts';
import type { CatalogLine, Component, Port } from './description.ts';
import { nodesIn } from './hosts.ts';

/** Where API servers write the audit log. */
export const AUDIT_LOG = '/var/log/kubernetes/audit';

/** Where kubelets serve the API servers. */
const KUBELET_PORT = 10_250;

/** The programs of a control plane. */
export const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;

/** The configuration of Kubernetes, however it is installed. */
const FIELDS = [
  'spec.kubernetes.version',
  'spec.kubernetes.clusterName',
  'spec.kubernetes.apiserverCertExtraSans.**',
  'spec.kubernetes.masqueradeAll',
  'spec.kubernetes.maxPods',
  'spec.kubernetes.podPidsLimit',
  'spec.kubernetes.nodeCidrMaskSize',
  'spec.kubernetes.nodeCidrMaskSizeIPv6',
  'spec.kubernetes.proxyMode',
  'spec.kubernetes.featureGates.**',
  'spec.kubernetes.kubeletArgs.**',
  'spec.kubernetes.apiserverArgs.**',
  'spec.kubernetes.controllerManagerArgs.**',
  'spec.kubernetes.schedulerArgs.**',
  'spec.kubernetes.kubeletConfiguration.**',
  'spec.kubernetes.kubeProxyConfiguration.**',
  'spec.hosts[].taints.**',
  'spec.kubernetes.audit.**',
  'spec.kubernetes.encryption.**',
  'spec.controlPlaneEndpoint.externalDNS',
  'spec.controlPlaneEndpoint.lb_address',
  'spec.controlPlaneEndpoint.domain',
  'spec.controlPlaneEndpoint.port',
  'spec.network.kubePodsCIDR',
  'spec.network.kubeServiceCIDR',
];

/** Certificates that kubexm makes itself; kubeadm makes its own. */
const PKI = ['spec.pki.keyAlgorithm', 'spec.pki.ca.**', 'spec.pki.frontProxy.**', 'spec.pki.validity.**'];

/** The tasks by which kubexm installs Kubernetes without kubeadm. */
const BINARY_TASKS = [
  'kubernetes/programs',
  'kubernetes/certificates',
  'kubernetes/services',
  'kubernetes/begin',
  'kubernetes/nodes',
];

const PROCESSES = ['kube-apiserver', 'kube-controller', 'kube-scheduler', 'kubelet'];

/** What the kubelet and its pods make on a node, its own directory aside: that is where the user wants it. */
const effects = ({ spec }: Cluster): readonly Effect[] => [
  { type: 'units', prefix: 'kubepods' },
  { type: 'cgroups', prefix: 'kubepods' },
  ...[
    '/etc/kubernetes',
    '/var/log/pods',
    '/var/log/containers',
    '/run/kubernetes',
    '/usr/libexec/kubernetes',
    // People call kubectl, also on workers. What else they have beside its cache is theirs.
    '/root/.kube/cache',
    ...(spec.kubernetes.audit.enabled ? [AUDIT_LOG] : []),
  ].map((path) => ({ type: 'path', path }) as const),
  { type: 'directory', path: '/root/.kube' },
  ...(spec.kubernetes.audit.enabled ? [{ type: 'directory', path: dirname(AUDIT_LOG) } as const] : []),
];

/** What kube-proxy tells the kernel, in any of its modes. */
const proxyEffects = (): readonly Effect[] => [
  { type: 'virtual-servers', link: 'kube-ipvs0' },
  { type: 'links', prefix: 'kube-ipvs0' },
  { type: 'nft-tables', family: 'ip', prefix: 'kube-proxy' },
  { type: 'nft-tables', family: 'ip6', prefix: 'kube-proxy' },
  // Where nothing was filtered before, iptables has made its tables for the chains. Others may use them since.
  ...['ip', 'ip6'].flatMap((family) =>
    ['filter', 'nat', 'mangle', 'raw'].map((name) => ({ type: 'shared-table', family, name }) as const),
  ),
  { type: 'iptables-chains', prefix: 'KUBE-' },
  { type: 'ipsets', prefix: 'KUBE-' },
  { type: 'path', path: '/run/xtables.lock' },
  ...['tcp_timeout_close_wait', 'tcp_timeout_established', 'max'].map(
    (name) => ({ type: 'sysctl', key: `net/netfilter/nf_conntrack_${name}` }) as const,
  ),
  // In its iptables mode it answers to node ports on the loopback.
  { type: 'sysctl', key: 'net/ipv4/conf/all/route_localnet' },
];

/** The kernel modules that kube-proxy needs in each of its modes. */
export const PROXY_MODULES: Readonly<Record<ProxyMode, readonly string[]>> = {
  iptables: [],
  ipvs: ['ip_vs', 'ip_vs_rr', 'ip_vs_wrr', 'ip_vs_sh'],
  nftables: ['nf_tables'],
};

/** Controller manager, scheduler and the health of the kubelet are only for the host itself. */
const ports = (cluster: Cluster, host: ClusterHost): readonly Port[] => {
  const own = (...some: readonly number[]): Port[] => some.map((port) => ({ port, protocol: 'tcp', from: [] }));
  return [
    ...(host.roles.includes('master')
      ? [{ port: apiServerPort(cluster), protocol: 'tcp', from: ['nodes'] } as const, ...own(10_257, 10_259)]
      : []),
    ...(isNode(host) ? [{ port: KUBELET_PORT, protocol: 'tcp', from: ['masters'] } as const, ...own(10_248)] : []),
  ];
};

const wantedOf = ({ spec }: Cluster) => ({
  wanted: { version: spec.kubernetes.version, field: 'spec.kubernetes.version' },
});

/** Kubernetes by kubeadm: the control plane in static pods. */
export const kubeadm: Component = {
  name: 'kubeadm',
  kind: 'kubernetes',
  isUsed: ({ spec }) => spec.kubernetes.type === 'kubeadm',
  tasks: ['kubernetes/install', 'kubernetes/kubelet', 'kubernetes/init', 'kubernetes/join', 'kubernetes/run'],
  fields: ['spec.kubernetes.type=kubeadm', ...FIELDS],
  // kubeadm reads them once, in init and join. Programs of another version would be an upgrade of all nodes at once.
  fixed: ['spec.kubernetes.type', ...FIELDS, 'spec.controlPlaneEndpoint.externalLoadBalancer'],
  catalog: (cluster): readonly CatalogLine[] => [
    {
      component: 'kubernetes',
      hosts: nodesIn(cluster),
      files: ['kubeadm', 'kubelet', 'kubectl'],
      images: ['kube-proxy'],
      ...wantedOf(cluster),
    },
    { component: 'kubernetes', hosts: hostsOf(cluster, 'master'), images: CONTROL_PLANE },
  ],
  ports,
  processes: PROCESSES,
  effects,
};

/** Kubernetes from its programs: the control plane as services. */
export const binaryKubernetes: Component = {
  name: 'binary',
  kind: 'kubernetes',
  isUsed: ({ spec }) => spec.kubernetes.type === 'kubexm',
  tasks: BINARY_TASKS,
  fields: ['spec.kubernetes.type=kubexm', ...FIELDS, ...PKI],
  // Services that all restart at once with other settings would stop the cluster.
  fixed: [
    'spec.kubernetes.type',
    ...FIELDS,
    'spec.controlPlaneEndpoint.externalLoadBalancer',
    'spec.pki.ca.**',
    'spec.pki.frontProxy.**',
  ],
  catalog: (cluster): readonly CatalogLine[] => [
    {
      component: 'kubernetes',
      hosts: nodesIn(cluster),
      files: ['kubelet', 'kube-proxy', 'kubectl'],
      ...wantedOf(cluster),
    },
    { component: 'kubernetes', hosts: hostsOf(cluster, 'master'), files: CONTROL_PLANE },
  ],
  ports,
  processes: PROCESSES,
  effects,
};

/** kube-proxy, which makes the addresses of Services work. */
export const kubeProxy: Component = {
  name: 'kube-proxy',
  kind: 'proxy',
  isUsed: () => true,
  tasks: ['kubernetes/init', 'kubernetes/nodes'],
  fields: [],
  // Its image or program comes with Kubernetes.
  catalog: () => [],
  modules: (_cluster, mode) => [
    { name: 'br_netfilter', purpose: 'kube-proxy' },
    ...PROXY_MODULES[mode].map((name) => ({ name, purpose: `kube-proxy (${mode})` })),
  ],
  effects: proxyEffects,
  ports: (_cluster, host) =>
    isNode(host) ? [10_249, 10_256].map((port) => ({ port, protocol: 'tcp', from: [] })) : [],
  processes: ['kube-proxy'],
  // From its program it is a service of every node.
  workloads: (cluster) =>
    kubeadm.isUsed(cluster)
      ? [
          {
            kind: 'DaemonSet',
            title: 'kube-proxy',
            namespace: 'kube-system',
            name: 'kube-proxy',
            selector: 'k8s-app=kube-proxy',
          },
        ]
      : [],
};
