import { hostsOf } from '../model/cluster/cluster.ts';
import type { Cluster, ClusterHost } from '../model/cluster/index.ts';
import { isProxied } from '../model/cluster/places.ts';
import type { Effect } from '../model/effect.ts';
import type { CatalogLine, Component, Port } from './description.ts';

type Endpoint = Cluster['spec']['controlPlaneEndpoint'];

/** Where a proxy says on the loopback whether it is healthy. */
export const PROXY_HEALTH_PORT = 10_260;

/** Where kube-vip shows its metrics, on the loopback. */
export const KUBE_VIP_METRICS_PORT = 2112;

const ENDPOINT = 'spec.controlPlaneEndpoint';

/** A proxy in front of the API servers: with keepalived on hosts of its own, or on every worker. */
export interface Proxy extends Component {
  readonly isOutside: (cluster: Cluster) => boolean;
  readonly isInside: (cluster: Cluster) => boolean;
}

/** Debian's nginx brings a page that stays when it is removed. */
const LEFT_BY_PACKAGES: Readonly<Record<'haproxy' | 'nginx', readonly Effect[]>> = {
  haproxy: [{ type: 'path', path: '/var/lib/haproxy' }],
  nginx: [
    { type: 'path', path: '/var/lib/nginx' },
    { type: 'path', path: '/var/www/html/index.nginx-debian.html' },
    { type: 'directory', path: '/var/www/html' },
  ],
};

/** The workers that have a proxy of their own. */
const proxiedIn = (cluster: Cluster): readonly ClusterHost[] => hostsOf(cluster, 'worker').filter(isProxied);

function proxy(name: 'haproxy' | 'nginx', outside: Endpoint['externalLoadBalancer']): Proxy {
  const isOutside = ({ spec }: Cluster) => spec.controlPlaneEndpoint.externalLoadBalancer === outside;
  const isInside = ({ spec }: Cluster) => spec.controlPlaneEndpoint.internalLoadbalancer === name;
  return {
    name,
    kind: 'load-balancer',
    isOutside,
    isInside,
    isUsed: (cluster) => isOutside(cluster) || isInside(cluster),
    tasks: ['load-balancer/internal', 'load-balancer/external', 'node/names'],
    fields: [`${ENDPOINT}.internalLoadbalancer=${name}`, `${ENDPOINT}.externalLoadBalancer=${outside}`],
    // One that is replaced by another would stay on the workers.
    fixed: [`${ENDPOINT}.internalLoadbalancer`],
    catalog: (cluster): readonly CatalogLine[] => [
      ...(isOutside(cluster)
        ? [{ component: name, hosts: hostsOf(cluster, 'loadbalancer'), packages: true } as const]
        : []),
      ...(isInside(cluster) ? [{ component: name, hosts: proxiedIn(cluster), images: [name] }] : []),
    ],
    ports: (cluster, host): readonly Port[] => {
      const { port } = cluster.spec.controlPlaneEndpoint;
      const health = { port: PROXY_HEALTH_PORT, protocol: 'tcp', from: [] } as const;
      if (isOutside(cluster) && host.roles.includes('loadbalancer'))
        return [{ port, protocol: 'tcp', from: ['nodes'] }, health];
      return isInside(cluster) && isProxied(host) ? [{ port, protocol: 'tcp', from: [] }, health] : [];
    },
    processes: [name],
    packageEffects: LEFT_BY_PACKAGES[name],
  };
}

export const haproxy = proxy('haproxy', 'kubexm-kh');

export const nginx = proxy('nginx', 'kubexm-kn');

/** keepalived, which moves the virtual IP between the hosts of role `loadbalancer`. */
export const keepalived: Component = {
  name: 'keepalived',
  kind: 'load-balancer',
  isUsed: ({ spec }) => spec.controlPlaneEndpoint.externalLoadBalancer.startsWith('kubexm'),
  tasks: ['load-balancer/external'],
  fields: [`${ENDPOINT}.interface`],
  catalog: (cluster) => [{ component: 'keepalived', hosts: hostsOf(cluster, 'loadbalancer'), packages: true }],
  processes: ['keepalived'],
};

/** kube-vip, which moves the virtual IP between the masters. */
export const kubeVip: Component = {
  name: 'kube-vip',
  kind: 'load-balancer',
  isUsed: ({ spec }) => spec.controlPlaneEndpoint.internalLoadbalancer === 'kube-vip',
  tasks: ['load-balancer/kube-vip', 'load-balancer/kube-vip-admin', 'node/names'],
  fields: [`${ENDPOINT}.internalLoadbalancer=kube-vip`, `${ENDPOINT}.interface`],
  fixed: [`${ENDPOINT}.internalLoadbalancer`],
  catalog: (cluster) => [{ component: 'kube-vip', hosts: hostsOf(cluster, 'master'), images: ['kube-vip'] }],
  ports: (_cluster, { roles }) =>
    roles.includes('master') ? [{ port: KUBE_VIP_METRICS_PORT, protocol: 'tcp', from: [] }] : [],
  processes: ['kube-vip'],
  // It leaves them on the link of the last leader when it is killed.
  effects: ({ spec }) =>
    (spec.controlPlaneEndpoint.address?.list ?? []).map((address) => ({ type: 'address', address })),
};

/** A load balancer of the user's own. There is nothing to install. */
export const ownBalancer: Component = {
  name: 'external-load-balancer',
  kind: 'load-balancer',
  isUsed: ({ spec }) => spec.controlPlaneEndpoint.externalLoadBalancer === 'external',
  tasks: ['node/names'],
  fields: [`${ENDPOINT}.externalLoadBalancer=external`],
  catalog: () => [],
};
