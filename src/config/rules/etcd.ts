import type { Path } from '../tree.ts';
import { type Rule, rule } from './rule.ts';

const TYPE = 'spec.etcd.type';
const GROUP: Path = ['spec', 'roleGroups', 'etcd'];
const reads = [TYPE, 'spec.roleGroups.etcd', 'spec.roleGroups.master', 'spec.hosts.*.roles'];

const members = rule(reads, ({ cluster, document, report }) => {
  const { etcd, roleGroups } = cluster.spec;
  if (etcd.type === 'external' && roleGroups.etcd.length > 0) report('KX2702', {}, GROUP, ['spec', 'etcd', 'type']);
  const differs = roleGroups.etcd.some((name) => !roleGroups.master.includes(name));
  const fewer = roleGroups.etcd.length !== roleGroups.master.length;
  const written = document.spec.roleGroups.etcd.length > 0;
  if (etcd.type === 'kubeadm' && written && (differs || fewer)) report('KX2706', {}, GROUP, ['spec', 'etcd', 'type']);
});

const evenCount = rule(reads, ({ cluster, document, report }) => {
  const { etcd, roleGroups } = cluster.spec;
  const count = roleGroups.etcd.length;
  if (etcd.type === 'external' || count === 0 || count % 2 === 1) return;
  const path: Path = document.spec.roleGroups.etcd.length > 0 ? GROUP : ['spec', 'roleGroups', 'master'];
  report('KX2902', { count, less: count - 1 }, path);
});

const external = rule([TYPE, 'spec.etcd.external'], ({ cluster, report }) => {
  const { etcd } = cluster.spec;
  const path: Path = ['spec', 'etcd', 'external'];
  if (etcd.type !== 'external') {
    if (etcd.external !== undefined) report('KX2705', { type: etcd.type }, path, ['spec', 'etcd', 'type']);
    return;
  }
  if ((etcd.external?.endpoints.length ?? 0) === 0) report('KX2703', {}, path, ['spec', 'etcd', 'type']);
  const files = ['caFile', 'certFile', 'keyFile'] as const;
  const missing = files.filter((key) => etcd.external?.[key] === undefined);
  if (missing.length > 0 && missing.length < files.length) report('KX2704', { missing: missing.join(', ') }, path);
});

const transport = rule([TYPE, 'spec.etcd.external'], ({ cluster, report }) => {
  const { external: there, type } = cluster.spec.etcd;
  if (type !== 'external' || there === undefined) return;
  const files = [there.caFile, there.certFile, there.keyFile].filter((file) => file !== undefined);
  there.endpoints.forEach((endpoint, i) => {
    const path: Path = ['spec', 'etcd', 'external', 'endpoints', i];
    const secure = endpoint.toLowerCase().startsWith('https:');
    if (!secure && files.length > 0) report('KX2724', { endpoint }, path);
    else if (secure && files.length === 0) report('KX2725', { endpoint }, path);
  });
});

const installer = rule([TYPE, 'spec.kubernetes.type'], ({ cluster, report }) => {
  const { etcd, kubernetes } = cluster.spec;
  if (kubernetes.type !== 'kubexm' || etcd.type !== 'kubeadm') return;
  report('KX2707', {}, ['spec', 'etcd', 'type'], ['spec', 'kubernetes', 'type']);
});

const elections = rule(['spec.etcd.heartbeatInterval', 'spec.etcd.electionTimeout'], ({ cluster, report }) => {
  const { electionTimeout: election, heartbeatInterval: heartbeat } = cluster.spec.etcd;
  if (election >= 5 * heartbeat) return;
  const paths: Path[] = [
    ['spec', 'etcd', 'electionTimeout'],
    ['spec', 'etcd', 'heartbeatInterval'],
  ];
  report('KX2708', { election, heartbeat, min: 5 * heartbeat }, paths[0] ?? [], paths[1] ?? []);
});

/** Rules over etcd. */
export const etcdRules: readonly Rule[] = [members, evenCount, external, transport, installer, elections];
