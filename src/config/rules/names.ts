import type { ClusterHost } from '../../model/cluster/cluster.ts';
import { parseHostsText } from '../../model/cluster/hosts-text.ts';
import { isLocalName } from '../../model/cluster/names.ts';
import type { Path } from '../tree.ts';
import { type Rule, rule } from './rule.ts';

const DOMAIN: Path = ['spec', 'controlPlaneEndpoint', 'domain'];
const ZONE = 'spec.kubernetes.clusterName';

/** Whether CoreDNS answers for a name by itself. */
function isInCluster(name: string, domain: string): boolean {
  const bare = name.replace(/\.$/, '');
  const service = /^kubernetes(\.default(\.svc)?)?$/.test(bare);
  return service || bare === domain || bare.endsWith(`.${domain}`);
}

const endpointName = rule([DOMAIN.join('.'), ZONE], ({ cluster, names, report }) => {
  const { domain } = cluster.spec.controlPlaneEndpoint;
  const zone = cluster.spec.kubernetes.clusterName;
  const field = 'controlPlaneEndpoint.domain';
  if (names.has(domain)) {
    const other = cluster.spec.hosts.findIndex((host) => host.name === domain);
    report('KX2421', { domain }, DOMAIN, ...(other === -1 ? [] : [['spec', 'hosts', other, 'name']]));
  }
  if (isLocalName(domain)) report('KX2423', { field, name: domain }, DOMAIN);
  if (isInCluster(domain, zone)) report('KX2422', { field, name: domain, domain: zone }, DOMAIN);
});

const hostNames = rule([ZONE], ({ cluster, report }) => {
  const domain = cluster.spec.kubernetes.clusterName;
  cluster.spec.hosts.forEach(({ name }, i) => {
    if (!isInCluster(name, domain)) return;
    const path = ['spec', 'hosts', i, 'name'];
    report('KX2422', { field: 'spec.hosts', name, domain }, path, ['spec', 'kubernetes', 'clusterName']);
  });
});

const clusterDomain = rule([ZONE], ({ cluster, report }) => {
  const name = cluster.spec.kubernetes.clusterName;
  const path: Path = ['spec', 'kubernetes', 'clusterName'];
  if (isLocalName(name)) report('KX2423', { field: 'kubernetes.clusterName', name }, path);
});

const extraNames = rule([DOMAIN.join('.'), ZONE], ({ cluster, names, report }) => {
  const { extra, controlPlaneEndpoint, kubernetes } = cluster.spec;
  extra.hosts.forEach(({ domain: name }, i) => {
    const path = ['spec', 'extra', 'hosts', i, 'domain'];
    const field = 'extra.hosts';
    if (isLocalName(name) || names.has(name) || name === controlPlaneEndpoint.domain) {
      report('KX2423', { field, name }, path);
    } else if (isInCluster(name, kubernetes.clusterName)) {
      report('KX2422', { field, name, domain: kubernetes.clusterName }, path);
    }
  });
});

const namesForPods = rule([ZONE], ({ cluster, report }) => {
  const domain = cluster.spec.kubernetes.clusterName;
  const path: Path = ['spec', 'dns', 'dnsEtcHosts'];
  const field = 'dns.dnsEtcHosts';
  for (const { domain: name } of parseHostsText(cluster.spec.dns.dnsEtcHosts).entries) {
    if (isLocalName(name)) report('KX2423', { field, name }, path);
    else if (isInCluster(name, domain)) report('KX2422', { field, name, domain }, path);
  }
});

/** Labels that the kubelet writes and writes again, or that schedulers take for facts. */
const OWN_LABELS = /^(beta\.)?kubernetes\.io\/|^node\.kubernetes\.io\/(exclude-disruption|windows-build)$/;
/** Roles as label, and the roles of kubexm that may have it. */
const ROLE_LABEL = /^node-role\.kubernetes\.io\/(.*)$/;
const ROLE_OF: Readonly<Record<string, ClusterHost['roles'][number]>> = {
  'control-plane': 'master',
  master: 'master',
  worker: 'worker',
  etcd: 'etcd',
};

const labels = rule(['spec.roleGroups', 'spec.hosts.*.roles'], ({ cluster, reportKey }) => {
  cluster.spec.hosts.forEach((host, i) => {
    for (const label of Object.keys(host.labels)) {
      const path = ['spec', 'hosts', i, 'labels', label];
      const role = ROLE_OF[ROLE_LABEL.exec(label)?.[1] ?? ''];
      if (OWN_LABELS.test(label)) reportKey('KX2424', { label, host: host.name }, path);
      else if (role !== undefined && !host.roles.includes(role)) reportKey('KX2425', { label, host: host.name }, path);
    }
  });
});

const taints = rule([], ({ cluster, report }) => {
  cluster.spec.hosts.forEach((host, i) => {
    const seen = new Map<string, number>();
    host.taints.forEach(({ key, effect }, t) => {
      const taint = `${key}:${effect}`;
      const other = seen.get(taint);
      const place = (index: number): Path => ['spec', 'hosts', i, 'taints', index];
      if (other === undefined) seen.set(taint, t);
      else report('KX2426', { host: host.name, taint }, place(t), place(other));
    });
  });
});

/** Rules over names that are known already, labels and taints. */
export const nameRules: readonly Rule[] = [
  endpointName,
  hostNames,
  clusterDomain,
  extraNames,
  namesForPods,
  labels,
  taints,
];
