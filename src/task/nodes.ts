import { CONTROL_PLANE } from '../component/index.ts';
import type { PlanContext, PlanHost } from '../plan/layers.ts';
import { type ProxyMode, proxyModeOf } from '../step/kubeadm/proxy-mode.ts';

/** The static pods of a master. */
export const STATIC_PODS: readonly string[] = [...CONTROL_PLANE, 'etcd'];

/** The machines that run pods: masters and workers, in the order of the file. */
export function nodesOf(context: PlanContext): readonly PlanHost[] {
  return context.hosts.filter(({ roles }) => roles.includes('master') || roles.includes('worker'));
}

/** How kube-proxy works on them: who configures it and who checks the kernels must say the same. */
export function proxyModeIn(context: PlanContext): ProxyMode {
  return proxyModeOf(
    context.cluster,
    nodesOf(context).map(({ facts }) => facts.kernel),
  );
}

/** The master that the cluster begins on. */
export function firstMaster(context: PlanContext): PlanHost {
  const [name] = context.cluster.spec.roleGroups.master;
  const host = context.hosts.find((one) => one.name === name);
  if (host === undefined) throw new TypeError('a cluster without a master was not refused');
  return host;
}
