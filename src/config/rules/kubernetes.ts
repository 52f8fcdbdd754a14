import { RUNTIMES } from '../../model/cluster/container-runtime.ts';
import { formatCidr, parseCidr } from '../../model/cluster/ip.ts';
import { type Rule, rule } from './rule.ts';

/** Gates that seeds name and that no supported version knows any more: since when they are always on. */
const ALWAYS_ON: Readonly<Record<string, string>> = {
  CSIStorageCapacity: '1.24',
  ExpandCSIVolumes: '1.24',
  TTLAfterFinished: '1.23',
};
const RUNTIME = 'spec.kubernetes.containerRuntime';

const runtimeSections = rule([`${RUNTIME}.type`], ({ cluster, isSet, report }) => {
  const { type } = cluster.spec.kubernetes.containerRuntime;
  for (const other of RUNTIMES) {
    if (other === type || !isSet(`${RUNTIME}.${other}`)) continue;
    const params = { section: `containerRuntime.${other}`, field: 'containerRuntime.type', value: type };
    report('KX2610', params, ['spec', 'kubernetes', 'containerRuntime', other]);
  }
});

const oneRuntimeVersion = rule([RUNTIME], ({ document, report }) => {
  const runtime = document.spec.kubernetes.containerRuntime;
  const second = runtime[runtime.type]?.version;
  const plain = (text: string): string => text.replace(/^v/, '');
  if (runtime.version === undefined || second === undefined || plain(runtime.version) === plain(second)) return;
  const path = ['spec', 'kubernetes', 'containerRuntime'];
  report('KX2714', { first: runtime.version, second }, [...path, runtime.type, 'version'], [...path, 'version']);
});

const featureGates = rule([], ({ cluster, report }) => {
  for (const [gate, on] of Object.entries(cluster.spec.kubernetes.featureGates)) {
    const since = Object.hasOwn(ALWAYS_ON, gate) ? ALWAYS_ON[gate] : undefined;
    if (since !== undefined) report(on ? 'KX2905' : 'KX2717', { gate, since }, ['spec', 'kubernetes', 'featureGates', gate]);
  }
});

const ipvs = rule(['spec.kubernetes.version', 'spec.kubernetes.proxyMode', 'spec.controlPlaneEndpoint.internalLoadbalancer'], ({ cluster, report }) => {
  const { kubernetes, controlPlaneEndpoint } = cluster.spec;
  if (kubernetes.proxyMode !== 'ipvs') return;
  const path = ['spec', 'kubernetes', 'proxyMode'];
  if (Number(kubernetes.version.split('.')[1]) >= 35) report('KX2909', {}, path);
  const excluded = kubernetes.kubeProxyConfiguration.ipvs?.excludeCIDRs ?? [];
  if (controlPlaneEndpoint.internalLoadbalancer === 'kube-vip' && excluded.length === 0) report('KX2904', {}, path);
});

const excludedNetworks = rule([], ({ cluster, report }) => {
  const excluded = cluster.spec.kubernetes.kubeProxyConfiguration.ipvs?.excludeCIDRs ?? [];
  excluded.forEach((value, i) => {
    const cidr = parseCidr(value);
    if (cidr?.hostBits !== true) return;
    const path = ['spec', 'kubernetes', 'kubeProxyConfiguration', 'ipvs', 'excludeCIDRs', i];
    report('KX2906', { field: 'excludeCIDRs', value, network: formatCidr(cidr) }, path);
  });
});

/** Rules over Kubernetes and its runtime. */
export const kubernetesRules: readonly Rule[] = [
  runtimeSections,
  oneRuntimeVersion,
  featureGates,
  ipvs,
  excludedNetworks,
];
