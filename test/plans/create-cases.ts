import { readCatalog, resolveArtifacts } from '../../src/artifacts/catalog/index.ts';
import { createCluster } from '../../src/pipeline/cluster/create.ts';
import type { PlanContext } from '../../src/plan/layers.ts';
import type { ExecutionFragment } from '../../src/plan/node.ts';
import { configFor, type PlanContextOptions, planContextFor } from '../support/plan-context.ts';

/** What several masters need: a load balancer that is there. */
const BALANCED = '  controlPlaneEndpoint: {externalLoadBalancer: external, lb_address: 192.0.2.9}\n';
const NO_LOCAL_DNS = '  dns: {nodelocaldns: {enabled: false}}\n';
const DUAL_STACK = `  controlPlaneEndpoint: {externalLoadBalancer: external, lb_address: "192.0.2.9,2001:db8::9"}
`;

const catalog = await readCatalog();

/** A context with all artifacts of its configuration. */
export async function contextWithArtifacts(text: string, options: PlanContextOptions = {}): Promise<PlanContext> {
  const { cluster } = await planContextFor(text);
  const needs = resolveArtifacts(cluster, catalog, '', () => 'amd64');
  const artifacts = { needs, lock: {}, sources: [{ type: 'go' as const }], cacheDir: '/home/user/.cache/kubexm/artifacts' };
  const facts: PlanContextOptions['facts'] = (host) => ({ arch: 'amd64', ...options.facts?.(host) });
  return planContextFor(text, { ...options, artifacts, facts });
}

/** A configuration that `create cluster` takes. */
export function creatable(parts: { masters?: number; workers?: number; version?: string; more?: string } = {}): string {
  const { masters = 1, more = '' } = parts;
  const endpoint = masters > 1 && !more.includes('controlPlaneEndpoint') ? BALANCED : '';
  const text = configFor({ ...parts, more: `${endpoint}${NO_LOCAL_DNS}${more}` });
  return text.replace('  controlPlaneEndpoint: {internalLoadbalancer: haproxy}\n', '');
}

/** The same with etcd as a service of its own on the masters. */
export function withOwnEtcd(text: string): string {
  return text
    .replace('etcd: {type: kubeadm}', 'etcd: {type: kubexm}')
    .replace(/( {4}master: (.*)\n)/, '$1    etcd: $2\n');
}

/** The same without kubeadm: Kubernetes and etcd from their programs. */
export function fromPrograms(text: string): string {
  return withOwnEtcd(text).replace('kubernetes: {', 'kubernetes: {type: kubexm, ');
}

/** Three masters behind a load balancer that kubexm sets up, with two more hosts for it where `endpoint` needs them. */
export function balancedBy(endpoint: string, workers = 1): string {
  const text = creatable({ masters: 3, workers, more: `  controlPlaneEndpoint: {${endpoint}}\n` });
  if (!endpoint.includes('externalLoadBalancer')) return text;
  return text
    .replace('  roleGroups:\n', '    - {name: lb1, address: 10.3.0.1}\n    - {name: lb2, address: 10.3.0.2}\n$&')
    .replace('    worker:', "    loadbalancer: ['lb[1:2]']\n$&");
}

/** The plan of `create cluster`. */
export async function creation(
  text: string,
  { skipPreflight = false, ...options }: PlanContextOptions & { readonly skipPreflight?: boolean } = {},
): Promise<ExecutionFragment> {
  return createCluster.plan(await contextWithArtifacts(text, options), { skipPreflight });
}

const dual = creatable({ masters: 3, workers: 2, more: DUAL_STACK })
  .replaceAll(/address: (10\.(\d)\.0\.(\d))\}/g, 'address: $1, internalAddress: "$1,2001:db8:$2::$3"}')
  .replace(
    'network: {plugin: flannel}',
    'network: {plugin: flannel, kubePodsCIDR: "10.233.64.0/18,fd85:ee78:d8a6:8607::1:0000/112", kubeServiceCIDR: "10.233.0.0/18,fd85:ee78:d8a6:8607::1000/116"}',
  );

const plans = {
  'create-3-2': await creation(creatable({ masters: 3, workers: 2 })),
  // The checks are the same for all: once is enough to review.
  'create-rocky-9': await creation(creatable(), { system: 'rocky-9', skipPreflight: true }),
  'create-dual-stack': await creation(dual, { skipPreflight: true }),
  'create-etcd': await creation(withOwnEtcd(creatable({ masters: 3, workers: 1 })), { skipPreflight: true }),
  'create-binary': await creation(fromPrograms(balancedBy('internalLoadbalancer: haproxy', 2)), { skipPreflight: true }),
  'create-haproxy': await creation(balancedBy('internalLoadbalancer: haproxy', 2), { skipPreflight: true }),
  'create-keepalived-nginx': await creation(
    balancedBy('externalLoadBalancer: kubexm-kn, lb_address: 10.3.0.100, port: 8443'),
    { skipPreflight: true },
  ),
  'create-kube-vip': await creation(balancedBy('internalLoadbalancer: kube-vip, lb_address: 10.1.0.100'), {
    skipPreflight: true,
  }),
  'create-1.36-cgroup-v1': await creation(creatable({ version: 'v1.36.0' }), {
    facts: () => ({ cgroup: 1 }),
    skipPreflight: true,
  }),
};

/** Clusters as they are created: several masters, without kubeadm, another family, two families of addresses, old control groups. */
export const createCases: Readonly<Record<string, () => ExecutionFragment>> = Object.fromEntries(
  Object.entries(plans).map(([name, plan]) => [name, () => plan]),
);
