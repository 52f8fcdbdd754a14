import { nodesIn } from '../../component/index.ts';
import { haproxy, kubeVip, nginx, PROXY_HEALTH_PORT } from '../../component/load-balancers.ts';
import { hostsOf } from '../../model/cluster/cluster.ts';
import type { ClusterHost } from '../../model/cluster/index.ts';
import type { DualStack } from '../../model/cluster/ip.ts';
import { apiServerPort, isProxied, loopbacksOf } from '../../model/cluster/places.ts';
import type { PlanContext, PlanHost } from '../../plan/layers.ts';
import { haproxySteps } from '../../step/haproxy.ts';
import { KUBE_VIP_MANIFEST } from '../../step/kube-vip.ts';
import type { ProxySettings, ProxySteps } from '../../step/load-balancer/proxy.ts';
import { manifestOf } from '../../step/load-balancer/static-pod.ts';
import { nginxSteps } from '../../step/nginx.ts';

const PROXIES = [
  { component: haproxy, steps: haproxySteps },
  { component: nginx, steps: nginxSteps },
];

/** Connections of a node to the API servers: kubelet, kube-proxy, network, and pods that ask the API. */
const PER_NODE = 8;

/** The proxy that every worker has in front of the API servers, if any. */
export function localProxy({ cluster }: Pick<PlanContext, 'cluster'>) {
  return PROXIES.find(({ component }) => component.isInside(cluster));
}

/** The proxy on the hosts of role `loadbalancer`, if any. */
export function sharedProxy({ cluster }: Pick<PlanContext, 'cluster'>) {
  return PROXIES.find(({ component }) => component.isOutside(cluster));
}

/** The static pods that balance the load on a node, as files. */
export function balancerPods(context: PlanContext, host: Pick<PlanHost, 'roles'>): readonly string[] {
  const local = localProxy(context);
  if (kubeVip.isUsed(context.cluster)) return host.roles.includes('master') ? [KUBE_VIP_MANIFEST] : [];
  return local !== undefined && isProxied(host) ? [manifestOf(local.steps.pod.name)] : [];
}

/** The steps of all proxies, for the reference. */
export function stepsOf<T>(pick: (steps: ProxySteps) => readonly T[]): readonly T[] {
  return PROXIES.flatMap(({ steps }) => pick(steps));
}

/** What the proxy of a host does: on a worker for itself, on a load balancer for everybody. */
export function settingsFor({ cluster }: PlanContext, { internal }: ClusterHost): ProxySettings {
  const { port, address } = cluster.spec.controlPlaneEndpoint;
  const loopbacks = loopbacksOf(internal);
  const everywhere = address === undefined ? [] : wildcardsOf(address);
  const isShared = sharedProxy({ cluster }) !== undefined;
  return {
    masters: hostsOf(cluster, 'master').map(({ name, internal: { list } }) => ({ name, address: list[0] ?? '' })),
    apiPort: apiServerPort(cluster),
    addresses: isShared ? everywhere : loopbacks,
    port,
    connections: isShared ? Math.max(8000, PER_NODE * nodesIn(cluster).length) : 4000,
    healthAddress: loopbacks[0] ?? '127.0.0.1',
    healthPort: PROXY_HEALTH_PORT,
  };
}

/** The virtual IP is on one host at a time; the others listen already. */
function wildcardsOf({ ipv4, ipv6 }: DualStack): readonly string[] {
  return [...(ipv4 === undefined ? [] : ['0.0.0.0']), ...(ipv6 === undefined ? [] : ['::'])];
}

/** The device that carries the virtual IP: the one that the configuration names, or that of the host's internal address. */
export function deviceOf({ cluster }: PlanContext, { facts }: PlanHost, { internal }: ClusterHost): string {
  const named = cluster.spec.controlPlaneEndpoint.interface;
  const own = facts.addresses.find(({ address }) => internal.list.includes(address))?.device;
  const found = named ?? own ?? facts.routes.find(({ destination }) => destination === 'default')?.device;
  if (found === undefined) throw new TypeError('a host without a network was not refused');
  return found;
}
