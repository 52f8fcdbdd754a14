import { creatable, fromPrograms } from './create-cases.ts';

/** A configuration with fields of `spec.kubernetes` beside its version. */
export const kubernetes = (fields: string, parts: Parameters<typeof creatable>[0] = {}) =>
  creatable(parts).replace(/kubernetes: \{(.*)\}/, `kubernetes: {$1, ${fields}}`);

/** Three masters behind a load balancer that is there, with fields of its endpoint. */
export const endpoint = (fields: string) =>
  creatable({ masters: 3, more: `  controlPlaneEndpoint: {externalLoadBalancer: external, ${fields}}\n` });

const pki = (fields: string) => fromPrograms(creatable({ more: `  pki: {${fields}}\n` }));

const BALANCED = endpoint('lb_address: 192.0.2.9');

const etcd = (field: string) => creatable().replace('etcd: {type: kubeadm}', `etcd: {type: kubeadm, ${field}}`);

/** What a configuration can say, by the field that it says it in; beside it, what it said before. */
export const SAID: Readonly<Record<string, string | readonly [string, string]>> = {
  'spec.kubernetes.version': creatable({ version: 'v1.34.1' }),
  'spec.kubernetes.clusterName': kubernetes('clusterName: other.local'),
  'spec.kubernetes.apiserverCertExtraSans.**': kubernetes('apiserverCertExtraSans: [api.example.com]'),
  'spec.kubernetes.masqueradeAll': kubernetes('masqueradeAll: true'),
  'spec.kubernetes.maxPods': kubernetes('maxPods: 111'),
  'spec.kubernetes.podPidsLimit': kubernetes('podPidsLimit: 1111'),
  'spec.kubernetes.nodeCidrMaskSize': kubernetes('nodeCidrMaskSize: 25'),
  'spec.kubernetes.nodeCidrMaskSizeIPv6': [
    twoFamilies(creatable()),
    twoFamilies(kubernetes('nodeCidrMaskSizeIPv6: 121')),
  ],
  'spec.kubernetes.proxyMode': kubernetes('proxyMode: ipvs'),
  'spec.kubernetes.featureGates.**': kubernetes('featureGates: {MemoryQoS: true}'),
  'spec.kubernetes.kubeletArgs.**': kubernetes('kubeletArgs: [--v=2]'),
  'spec.kubernetes.apiserverArgs.**': kubernetes('apiserverArgs: [--v=2]'),
  'spec.kubernetes.controllerManagerArgs.**': kubernetes('controllerManagerArgs: [--v=2]'),
  'spec.kubernetes.schedulerArgs.**': kubernetes('schedulerArgs: [--v=2]'),
  'spec.kubernetes.kubeletConfiguration.**': kubernetes('kubeletConfiguration: {serializeImagePulls: false}'),
  'spec.kubernetes.kubeProxyConfiguration.**': kubernetes('kubeProxyConfiguration: {bindAddress: 0.0.0.0}'),
  'spec.hosts[].taints.**': creatable().replace(/(name: cp1, [^}]*)\}/, '$1, taints: ["gpu=true:NoSchedule"]}'),
  'spec.kubernetes.audit.**': kubernetes('audit: {enabled: true}'),
  'spec.kubernetes.encryption.**': kubernetes('encryption: {enabled: true, provider: aescbc}'),
  'spec.controlPlaneEndpoint.externalDNS': [BALANCED, endpoint('externalDNS: true')],
  'spec.controlPlaneEndpoint.lb_address': [BALANCED, endpoint('lb_address: 192.0.2.10')],
  'spec.controlPlaneEndpoint.domain': [BALANCED, endpoint('lb_address: 192.0.2.9, domain: api.example.com')],
  'spec.controlPlaneEndpoint.port': [BALANCED, endpoint('lb_address: 192.0.2.9, port: 8443')],
  'spec.pki.keyAlgorithm': [fromPrograms(creatable()), pki('keyAlgorithm: rsa-2048')],
  'spec.pki.ca.**': [fromPrograms(creatable()), pki('ca: {caFile: /a.crt, keyFile: /a.key}')],
  'spec.pki.frontProxy.**': [fromPrograms(creatable()), pki('frontProxy: {caFile: /a.crt, keyFile: /a.key}')],
  'spec.pki.validity.**': [fromPrograms(creatable()), pki('validity: {certificateDays: 100}')],
  'spec.etcd.version': etcd('version: 3.5.25'),
  'spec.etcd.heartbeatInterval': etcd('heartbeatInterval: 300'),
  'spec.etcd.electionTimeout': etcd('electionTimeout: 6000'),
  'spec.etcd.snapshotCount': etcd('snapshotCount: 20000'),
  'spec.etcd.autoCompactionRetention': etcd('autoCompactionRetention: 4'),
  'spec.etcd.metrics': etcd('metrics: extensive'),
  'spec.etcd.quotaBackendBytes': etcd('quotaBackendBytes: 4294967296'),
  'spec.etcd.maxRequestBytes': etcd('maxRequestBytes: 2097152'),
  'spec.etcd.maxSnapshots': etcd('maxSnapshots: 3'),
  'spec.etcd.maxWals': etcd('maxWals: 3'),
  'spec.etcd.logLevel': etcd('logLevel: warn'),
  'spec.etcd.dataDir': creatable().replace('etcd: {type: kubeadm}', 'etcd: {type: kubeadm, dataDir: /data/etcd}'),
  'spec.network.kubePodsCIDR': creatable().replace('plugin: flannel', 'plugin: flannel, kubePodsCIDR: 10.9.0.0/16'),
  'spec.network.kubeServiceCIDR': creatable().replace(
    'plugin: flannel',
    'plugin: flannel, kubeServiceCIDR: 10.9.0.0/16',
  ),
};

function twoFamilies(text: string): string {
  return text
    .replaceAll(/address: (10\.(\d)\.0\.(\d))\}/g, 'address: $1, internalAddress: "$1,2001:db8:$2::$3"}')
    .replace(
      'plugin: flannel',
      'plugin: flannel, kubePodsCIDR: "10.9.0.0/16,fd00:9::/112", kubeServiceCIDR: "10.8.0.0/16,fd00:8::/112"',
    );
}

