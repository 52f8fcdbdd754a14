import { stackedEtcd } from '../component/etcd.ts';
import { CONTROL_PLANE } from '../component/index.ts';
import { binaryKubernetes } from '../component/kubernetes.ts';
import type { ProxyMode } from '../model/cluster/proxy-mode.ts';
import type { PlanContext, PlanHost } from '../plan/layers.ts';
import { proxyModeOf } from '../step/kubeadm/proxy-mode.ts';

/** The static pods of a master. Without kubeadm its programs are services. */
export function staticPods({ cluster }: PlanContext): readonly string[] {
  if (binaryKubernetes.isUsed(cluster)) return [];
  return stackedEtcd.isUsed(cluster) ? [...CONTROL_PLANE, 'etcd'] : CONTROL_PLANE;
}

const isMaster = ({ roles }: PlanHost): boolean => roles.includes('master');
const isNode = (host: PlanHost): boolean => isMaster(host) || host.roles.includes('worker');

/** All machines that run pods, masters and workers, in the order of the file. */
export function allNodes(context: PlanContext): readonly PlanHost[] {
  return context.once(allNodes, () => context.hosts.filter(isNode));
}

/** Those of them that this run may change. */
export function targetNodes(context: PlanContext): readonly PlanHost[] {
  return context.once(targetNodes, () => context.targets.filter(isNode));
}

/** The masters that this run may change. */
export function targetMasters(context: PlanContext): readonly PlanHost[] {
  return context.once(targetMasters, () => context.targets.filter(isMaster));
}

/** The master that a cluster begins on. */
export function firstMaster(context: PlanContext): PlanHost {
  const [first] = context.role('master');
  if (first === undefined) throw new TypeError('a cluster without a master was not refused');
  return first;
}

/** The master that speaks for the cluster: the first one that answers. */
export function healthyMaster(context: PlanContext): PlanHost {
  return context.role('master').find(({ isAway }) => isAway !== true) ?? firstMaster(context);
}

/** How kube-proxy works on the nodes: who configures it and who checks the kernels must say the same. */
export function proxyModeIn(context: PlanContext): ProxyMode {
  return proxyModeOf(
    context.cluster,
    allNodes(context).map(({ facts }) => facts.kernel),
  );
}
