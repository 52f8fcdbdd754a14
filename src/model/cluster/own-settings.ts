import type { ConfigKind, FlagComponent } from './component-flags.ts';

const FEATURE_GATES = 'spec.kubernetes.featureGates';
const PODS = 'spec.network.kubePodsCIDR';
const SERVICES = 'spec.network.kubeServiceCIDR';
const MASK = 'spec.kubernetes.nodeCidrMaskSize';
const CA = 'spec.pki.ca';

/** Flags that kubexm sets, with the field that says so; those without a field are its own alone. */
export const OWN_FLAGS: Readonly<Record<FlagComponent, Readonly<Record<string, string>>>> = {
  'kube-apiserver': {
    'feature-gates': FEATURE_GATES,
    'secure-port': 'spec.controlPlaneEndpoint.port',
    'advertise-address': 'spec.hosts[].internalAddress',
    'service-cluster-ip-range': SERVICES,
    'etcd-servers': 'spec.etcd.external.endpoints',
    'etcd-cafile': 'spec.etcd.external.caFile',
    'etcd-certfile': 'spec.etcd.external.certFile',
    'etcd-keyfile': 'spec.etcd.external.keyFile',
    'client-ca-file': CA,
    'requestheader-client-ca-file': 'spec.pki.frontProxy',
    'audit-policy-file': 'spec.kubernetes.audit',
    'encryption-provider-config': 'spec.kubernetes.encryption',
    ...fixed(
      'tls-cert-file tls-private-key-file kubelet-client-certificate kubelet-client-key proxy-client-cert-file proxy-client-key-file',
      'service-account-key-file service-account-signing-key-file enable-bootstrap-token-auth',
    ),
  },
  'kube-controller-manager': {
    'feature-gates': FEATURE_GATES,
    'cluster-cidr': PODS,
    'service-cluster-ip-range': SERVICES,
    'node-cidr-mask-size': MASK,
    'node-cidr-mask-size-ipv4': MASK,
    'node-cidr-mask-size-ipv6': 'spec.kubernetes.nodeCidrMaskSizeIPv6',
    'cluster-name': 'metadata.name',
    'client-ca-file': CA,
    'root-ca-file': CA,
    'cluster-signing-cert-file': CA,
    'cluster-signing-key-file': CA,
    'requestheader-client-ca-file': 'spec.pki.frontProxy',
    ...fixed('kubeconfig authentication-kubeconfig authorization-kubeconfig service-account-private-key-file'),
  },
  'kube-scheduler': {
    'feature-gates': FEATURE_GATES,
    ...fixed('config kubeconfig authentication-kubeconfig authorization-kubeconfig'),
  },
  'kube-proxy': {
    'feature-gates': FEATURE_GATES,
    'proxy-mode': 'spec.kubernetes.proxyMode',
    'cluster-cidr': PODS,
    'masquerade-all': 'spec.kubernetes.masqueradeAll',
    'hostname-override': 'spec.hosts[].name',
    ...fixed('config kubeconfig'),
  },
  kubelet: {
    'feature-gates': FEATURE_GATES,
    'max-pods': 'spec.kubernetes.maxPods',
    'pod-max-pids': 'spec.kubernetes.podPidsLimit',
    'cluster-domain': 'spec.kubernetes.clusterName',
    'cluster-dns': SERVICES,
    'container-runtime-endpoint': 'spec.kubernetes.containerRuntime',
    'node-ip': 'spec.hosts[].internalAddress',
    'hostname-override': 'spec.hosts[].name',
    'node-labels': 'spec.hosts[].labels',
    'register-with-taints': 'spec.hosts[].taints',
    'client-ca-file': CA,
    ...fixed('config config-dir kubeconfig bootstrap-kubeconfig pod-manifest-path cert-dir'),
  },
};

/** Fields of configuration files that kubexm sets, with the field that says so. */
export const OWN_FIELDS: Readonly<Record<ConfigKind, Readonly<Record<string, string>>>> = {
  KubeletConfiguration: {
    maxPods: 'spec.kubernetes.maxPods',
    podPidsLimit: 'spec.kubernetes.podPidsLimit',
    clusterDomain: 'spec.kubernetes.clusterName',
    containerRuntimeEndpoint: 'spec.kubernetes.containerRuntime',
    registerWithTaints: 'spec.hosts[].taints',
  },
  KubeProxyConfiguration: {
    mode: 'spec.kubernetes.proxyMode',
    clusterCIDR: PODS,
    hostnameOverride: 'spec.hosts[].name',
    'iptables.masqueradeAll': 'spec.kubernetes.masqueradeAll',
    'nftables.masqueradeAll': 'spec.kubernetes.masqueradeAll',
  },
};

function fixed(...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.flatMap((some) => some.split(' ')).map((name) => [name, '']));
}
