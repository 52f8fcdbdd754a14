import type { PlanContext, PlanHost } from '../plan/layers.ts';

/** The static pods of a master. */
export const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd'];

/** The machines that run pods: masters and workers, in the order of the file. */
export function nodesOf(context: PlanContext): readonly PlanHost[] {
  return context.hosts.filter(({ roles }) => roles.includes('master') || roles.includes('worker'));
}

/** The master that the cluster begins on. */
export function firstMaster(context: PlanContext): PlanHost {
  const [name] = context.cluster.spec.roleGroups.master;
  const host = context.hosts.find((one) => one.name === name);
  if (host === undefined) throw new TypeError('a cluster without a master was not refused');
  return host;
}
