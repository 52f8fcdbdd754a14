import { hostsOf } from '../model/cluster/cluster.ts';
import type { Cluster } from '../model/cluster/index.ts';
import type { CatalogLine, Component, Port } from './description.ts';

type Endpoint = Cluster['spec']['controlPlaneEndpoint'];

/** The port of the control plane, on the hosts of role `loadbalancer`. */
function balancedPort({ spec }: Cluster, { roles }: { readonly roles: readonly string[] }): readonly Port[] {
  const { port } = spec.controlPlaneEndpoint;
  return roles.includes('loadbalancer') ? [{ port, protocol: 'tcp', from: ['nodes'] }] : [];
}

/** A proxy in front of the API servers: with keepalived on hosts of its own, or on every worker. */
function proxy(name: 'haproxy' | 'nginx', outside: Endpoint['externalLoadBalancer']): Component {
  const isOutside = ({ spec }: Cluster) => spec.controlPlaneEndpoint.externalLoadBalancer === outside;
  const isInside = ({ spec }: Cluster) => spec.controlPlaneEndpoint.internalLoadbalancer === name;
  return {
    name,
    kind: 'load-balancer',
    isUsed: (cluster) => isOutside(cluster) || isInside(cluster),
    tasks: [],
    fields: [`spec.controlPlaneEndpoint.internalLoadbalancer=${name}`],
    catalog: (cluster): readonly CatalogLine[] => {
      const workers = hostsOf(cluster, 'worker');
      // kubeadm runs it as a static pod; with binaries it is a service of the operating system.
      const inside: CatalogLine =
        cluster.spec.kubernetes.type === 'kubeadm'
          ? { component: name, hosts: workers, images: [name] }
          : { component: name, hosts: workers, packages: true };
      return [
        ...(isOutside(cluster)
          ? [{ component: name, hosts: hostsOf(cluster, 'loadbalancer'), packages: true } as const]
          : []),
        ...(isInside(cluster) ? [inside] : []),
      ];
    },
    ports: (cluster, host) => (isOutside(cluster) ? balancedPort(cluster, host) : []),
    processes: [name],
  };
}

export const haproxy = proxy('haproxy', 'kubexm-kh');

export const nginx = proxy('nginx', 'kubexm-kn');

/** keepalived, which moves the virtual IP between the hosts of role `loadbalancer`. */
export const keepalived: Component = {
  name: 'keepalived',
  kind: 'load-balancer',
  isUsed: ({ spec }) => spec.controlPlaneEndpoint.externalLoadBalancer.startsWith('kubexm'),
  tasks: [],
  fields: ['spec.controlPlaneEndpoint.externalLoadBalancer=kubexm-kh|kubexm-kn', 'spec.controlPlaneEndpoint.interface'],
  catalog: (cluster) => [{ component: 'keepalived', hosts: hostsOf(cluster, 'loadbalancer'), packages: true }],
  processes: ['keepalived'],
};

/** kube-vip, which moves the virtual IP between the masters. */
export const kubeVip: Component = {
  name: 'kube-vip',
  kind: 'load-balancer',
  isUsed: ({ spec }) => spec.controlPlaneEndpoint.internalLoadbalancer === 'kube-vip',
  tasks: [],
  fields: ['spec.controlPlaneEndpoint.internalLoadbalancer=kube-vip', 'spec.controlPlaneEndpoint.interface'],
  catalog: (cluster) => [{ component: 'kube-vip', hosts: hostsOf(cluster, 'master'), images: ['kube-vip'] }],
  processes: ['kube-vip'],
};

/** A load balancer of the user's own. There is nothing to install. */
export const ownBalancer: Component = {
  name: 'external-load-balancer',
  kind: 'load-balancer',
  isUsed: ({ spec }) => spec.controlPlaneEndpoint.externalLoadBalancer === 'external',
  tasks: ['node/names'],
  fields: ['spec.controlPlaneEndpoint.externalLoadBalancer=external'],
  catalog: () => [],
};
