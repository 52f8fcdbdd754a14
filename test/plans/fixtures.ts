import type { Facts } from '../../src/model/facts.ts';
import { LOCAL } from '../../src/model/host.ts';
import { sh } from '../../src/model/script.ts';
import type { ExecutionGraph } from '../../src/plan/graph.ts';
import { keepOnce, type PlanContext, type PlanHost } from '../../src/plan/layers.ts';
import { dedicated, defineStep, needed, satisfied } from '../../src/plan/step.ts';

/** A step that does nothing, for plans whose shape is what matters. */
export const touch = defineStep<{ readonly path: string; readonly token?: string }>()({
  kind: 'touch',
  description: 'An empty file.',
  title: (want) => `touch ${want.path}`,
  probe: (want) => sh`test -e ${want.path}`,
  judge: (seen, want) => (seen.code === 0 ? satisfied(want.path) : needed(undefined, [{ what: want.path }])),
  apply: (_host, want) => sh`: > ${want.path}`,
  example: { path: '/tmp/x' },
});

/** A file whose content may be secret. */
export const file = defineStep<{
  readonly path: string;
  readonly content: string;
  readonly mode?: string;
  readonly secret?: boolean;
}>()({
  kind: 'file',
  description: 'A file with a content.',
  title: (want) => `file ${want.path}`,
  probe: (want) => sh`cat ${want.path}`,
  judge: (seen, want) =>
    seen.stdout === want.content ? satisfied({ path: want.path, digest: 'sha256' }) : needed(seen.stdout, []),
  apply: (_host, want) => sh`printf %s ${want.content} > ${want.path}`,
  estimateSeconds: 2,
  example: { path: '/tmp/x', content: '' },
});

/** A short-lived secret. */
export const token = defineStep<{ readonly hours: number }>()({
  kind: 'token',
  description: 'A join token.',
  title: (want) => `a token for ${want.hours} h`,
  nature: 'mint',
  apply: () => sh`kubeadm token create`,
  result: (output) => output.stdout.trim(),
  example: { hours: 2 },
});

/** A step that must never be done twice and cannot be undone. */
export const join = defineStep<{ readonly token: string; readonly endpoint: string }>()({
  kind: 'join',
  description: 'Joins a cluster.',
  title: (want) => `join ${want.endpoint}`,
  probe: () => sh`test -e /etc/kubernetes/kubelet.conf`,
  judge: (seen) => (seen.code === 0 ? satisfied() : needed(undefined, [])),
  apply: (_host, want) => sh`kubeadm join ${want.endpoint} --token ${want.token}`,
  once: true,
  irreversible: 'the node is known to the cluster from then on',
  estimateSeconds: (want) => (want.endpoint === '' ? 1 : 40),
  example: { token: 't', endpoint: 'e' },
});

/** A named use of `touch`. */
export const step = (name: string, path = `/tmp/${name}`) => ({ ...touch({ path }), name });

/** Hosts by name. */
export const hosts = (...names: readonly string[]) => names.map((name) => ({ name }));

/** The machine kubexm runs on. */
export const local = { name: LOCAL };

/** `prefix1 … prefixN`. */
export const many = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `${prefix}${i + 1}` }));

/** Every edge of a graph as `from → to`. */
export function edgesOf(graph: ExecutionGraph): readonly string[] {
  const { nextStart, next } = graph.edges;
  return Array.from({ length: graph.size }, (_, i) => i).flatMap((i) =>
    [...next.subarray(nextStart[i], nextStart[i + 1])].map((k) => `${graph.id(i)} → ${graph.id(k)}`),
  );
}

/** A context of hosts with these roles, enough for tasks that look at nothing else. */
export function contextOf(roles: Readonly<Record<string, readonly string[]>>): PlanContext {
  const names = [...new Set(Object.values(roles).flat())];
  const planHost = (name: string): PlanHost => ({
    name,
    roles: Object.keys(roles).filter((role) => roles[role]?.includes(name)),
    facts: {} as Facts,
  });
  const all = names.map(planHost);
  const byRole = new Map(
    Object.keys(roles).map((role) => [role, all.filter((host) => host.roles.includes(role))] as const),
  );
  return {
    cluster: {} as PlanContext['cluster'],
    hosts: all,
    targets: all,
    once: keepOnce(),
    local: planHost(LOCAL),
    role: (name) => byRole.get(name) ?? [],
    workDir: '/var/lib/kubexm',
    assumeYes: false,
  };
}

/** Dedicated steps of a made-up domain. */
export const demo = {
  unit: dedicated('unit', file, 'The unit.', (params: { readonly content: string }) =>
    file({ path: '/etc/systemd/system/demo.service', content: params.content }),
  ),
  config: dedicated('config', file, 'The configuration, different on each host.', (params: { readonly member: string }) =>
    file({ path: '/etc/demo.conf', content: `name: ${params.member}\n`, mode: '0600' }),
  ),
  key: dedicated('key', file, 'The key of the encryption at rest.', (params: { readonly key: string }) =>
    file({ path: '/etc/demo.key', content: params.key, secret: true }),
  ),
  download: dedicated('download', touch, 'The archive, fetched once.', (params: { readonly version: string }) =>
    touch({ path: `/var/lib/kubexm/demo-${params.version}.tar` }),
  ),
};
