import { RUNTIMES } from '../../model/cluster/container-runtime.ts';
import { formatCidr, parseCidr } from '../../model/cluster/ip.ts';
import type { Path } from '../tree.ts';
import { type Rule, rule } from './rule.ts';

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

const cgroupDriver = rule([], ({ document, report }) => {
  const { kubeletArgs, kubeletConfiguration } = document.spec.kubernetes;
  const check = (driver: string, ...path: Path): void => {
    if (driver !== 'systemd') report('KX2735', { driver }, ['spec', 'kubernetes', ...path]);
  };
  const { cgroupDriver: written } = kubeletConfiguration;
  if (written !== undefined && written !== null) check(String(written), 'kubeletConfiguration', 'cgroupDriver');
  kubeletArgs.forEach((argument, i) => {
    const [name, value = ''] = argument.split('=');
    if (name === '--cgroup-driver') check(value, 'kubeletArgs', i);
  });
});

const ipvs = rule(['spec.kubernetes.version', 'spec.kubernetes.proxyMode'], ({ cluster, report }) => {
  const { proxyMode, version } = cluster.spec.kubernetes;
  if (proxyMode === 'ipvs' && Number(version.split('.')[1]) >= 35)
    report('KX2909', {}, ['spec', 'kubernetes', 'proxyMode']);
});

const excludedNetworks = rule([], ({ document, report }) => {
  const excluded = document.spec.kubernetes.kubeProxyConfiguration.ipvs?.excludeCIDRs ?? [];
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
  cgroupDriver,
  ipvs,
  excludedNetworks,
];
