import { bad, type Case, changed } from './cases.ts';
import { kube } from './rule-helpers.ts';

const args = (list: string, ...flags: readonly string[]): string =>
  changed(kube(`${list}: [${flags.map((flag) => JSON.stringify(flag)).join(', ')}]`));
const kubelet = (fields: string): string => changed(kube(`kubeletConfiguration: {${fields}}`));
const proxy = (fields: string): string => changed(kube(`kubeProxyConfiguration: {${fields}}`));
const in130 = (lines: string): string => changed(['version: v1.34.2', `version: v1.30.4\n    ${lines}`]);

/** Flags and configuration files of the components of Kubernetes. */
export const flagRuleCases: readonly Case[] = [
  bad(
    'KX2751',
    'a flag with a slip',
    args('kubeletArgs', '--event-brust=5'),
    '"--event-brust',
    '--event-burst',
    '1.34.2',
  ),
  bad(
    'KX2751',
    'a flag of the API server with a slip',
    args('apiserverArgs', '--audit-log-path', '--audit-log-maxages=3'),
  ),
  bad('KX2751', 'a flag of kube-proxy with a slip', args('kubeProxyArgs', '--proxy-modes=ipvs')),
  bad('KX2752', 'a flag that is gone', args('apiserverArgs', '--cloud-provider=aws'), '"--cloud-provider', '<1.33'),
  bad(
    'KX2752',
    'the sandbox image of the kubelet in 1.35',
    changed(['v1.34.2', 'v1.35.0\n    kubeletArgs: [--pod-infra-container-image=pause:3.10]']),
    '--pod-infra-container-image',
    '<1.35',
  ),
  bad('KX2752', 'a flag of later versions', in130('kubeletArgs: [--fail-cgroupv1=false]'), '--fail-cgroupv1', '>=1.31'),
  bad('KX2753', 'a flag of nobody', args('schedulerArgs', '--no-such-thing-at-all=1'), '"--no-such', 'kube-scheduler'),
  bad('KX2753', 'a flag of dockershim', args('kubeletArgs', '--network-plugin=cni'), undefined, 'kubelet'),
  bad(
    'KX2754',
    'maxPods as a flag',
    args('kubeletArgs', '--v=2', '--max-pods=50'),
    '"--max-pods',
    'spec.kubernetes.maxPods',
  ),
  bad('KX2754', 'gates as a flag', args('apiserverArgs', '--feature-gates=A=true'), undefined, 'featureGates'),
  bad(
    'KX2754',
    'pods as a flag',
    args('controllerManagerArgs', '--cluster-cidr=10.0.0.0/8'),
    undefined,
    'kubePodsCIDR',
  ),
  bad(
    'KX2754',
    'the mask as a flag',
    args('controllerManagerArgs', '--node_cidr_mask_size=25'),
    undefined,
    'nodeCidrMaskSize',
  ),
  bad('KX2754', 'the mode as a flag', args('kubeProxyArgs', '--proxy-mode=ipvs'), undefined, 'proxyMode'),
  bad('KX2754', 'labels as a flag', args('kubeletArgs', '--node-labels=a=b'), undefined, 'spec.hosts[].labels'),
  bad('KX2754', 'taints as a flag', args('kubeletArgs', '--register-with-taints=a=b:NoExecute'), undefined, 'taints'),
  bad('KX2755', 'another kubeconfig', args('kubeletArgs', '--kubeconfig=/a'), '"--kubeconfig=/a"', 'kubelet'),
  bad('KX2755', 'another certificate', args('apiserverArgs', '--tls-cert-file=/a'), undefined, 'kube-apiserver'),
  bad('KX2756', 'a flag twice', args('kubeletArgs', '--event-burst=5', '--event-burst=6'), '"--event-burst=6"'),
  bad('KX2756', 'a flag in two spellings', args('kubeletArgs', '--event-burst=5', '--event_burst=6')),
  bad('KX2757', 'no number', args('kubeletArgs', '--event-burst=many'), '"--event-burst', 'int', '--event-burst=10'),
  bad('KX2757', 'no duration', args('apiserverArgs', '--event-ttl=2'), '"--event-ttl', 'duration', '30s'),
  bad('KX2757', 'no switch', args('apiserverArgs', '--profiling=yes'), '"--profiling', 'bool'),
  bad('KX2757', 'no value', args('controllerManagerArgs', '--terminated-pod-gc-threshold'), undefined, 'int'),
  bad('KX2757', 'no text', args('apiserverArgs', '--audit-log-path'), undefined, 'text'),
  bad(
    'KX2758',
    'a field and a flag',
    changed(
      kube('kubeletArgs: [--serialize-image-pulls=false]\n    kubeletConfiguration: {serializeImagePulls: true}'),
    ),
    '--serialize-image-pulls=false',
    'kubeletConfiguration.serializeImagePulls',
  ),
  bad(
    'KX2758',
    'a field and a flag of another name',
    changed(
      kube('kubeletArgs: [--image-gc-high-threshold=90]\n    kubeletConfiguration: {imageGCHighThresholdPercent: 95}'),
    ),
    '--image-gc-high-threshold=90',
  ),
  bad(
    'KX2758',
    'a nested field and a flag',
    changed(
      kube(
        'kubeletArgs: [--anonymous-auth=true]\n    kubeletConfiguration: {authentication: {anonymous: {enabled: false}}}',
      ),
    ),
  ),
  bad(
    'KX2759',
    'another kind',
    kubelet('kind: KubeProxyConfiguration'),
    'KubeProxyConfiguration',
    'KubeletConfiguration',
  ),
  bad('KX2759', 'another version', kubelet('apiVersion: kubelet.config.k8s.io/v1alpha1')),
  bad('KX2759', 'another kind for kube-proxy', proxy('kind: KubeletConfiguration')),
  bad(
    'KX2760',
    'a field with a slip',
    kubelet('serialiseImagePulls: true'),
    'serialiseImagePulls',
    'serializeImagePulls',
  ),
  bad('KX2760', 'a nested field with a slip', kubelet('authentication: {anonymus: {enabled: true}}'), 'anonymus'),
  bad('KX2760', 'a field of kube-proxy with a slip', proxy('conntrack: {maxPerCores: 0}'), 'maxPerCores', 'maxPerCore'),
  bad(
    'KX2761',
    'a field of later versions',
    in130('kubeletConfiguration: {failCgroupV1: false}'),
    'failCgroupV1',
    '>=1.31',
  ),
  bad('KX2762', 'a field of nobody', kubelet('hostPathsForEveryone: true'), 'hostPathsForEveryone'),
  bad('KX2763', 'text for a switch', kubelet('serializeImagePulls: "true"'), '"true"', 'bool'),
  bad('KX2763', 'text for a number', kubelet('registryBurst: "10"'), '"10"', 'int'),
  bad('KX2763', 'a number for a duration', kubelet('syncFrequency: 60'), '60', 'duration', '30s'),
  bad('KX2763', 'a text for a list', kubelet('enforceNodeAllocatable: pods'), 'pods', 'list'),
  bad('KX2763', 'numbers for texts', kubelet('evictionHard: {memory.available: 100}'), undefined, 'texts'),
  bad('KX2763', 'a list for a mapping', kubelet('authentication: [a]'), undefined, 'map'),
  bad('KX2763', 'text for a number of kube-proxy', proxy('conntrack: {min: "0"}'), '"0"', 'int'),
  bad('KX2764', 'maxPods as a field', kubelet('maxPods: 50'), 'maxPods', 'spec.kubernetes.maxPods'),
  bad('KX2764', 'the mode as a field', proxy('mode: ipvs'), 'mode', 'spec.kubernetes.proxyMode'),
  bad('KX2764', 'masqueradeAll as a field', proxy('iptables: {masqueradeAll: true}'), 'masqueradeAll'),
  bad('KX2765', 'nftables before it is beta', in130('proxyMode: nftables'), 'nftables', '1.31'),
  bad(
    'KX2610',
    'networks for ipvs with iptables',
    changed(kube('proxyMode: iptables\n    kubeProxyConfiguration: {ipvs: {excludeCIDRs: [10.0.0.0/8]}}')),
  ),
  bad('KX2610', 'networks for ipvs with whatever fits', proxy('ipvs: {excludeCIDRs: [10.0.0.0/8]}')),
];
