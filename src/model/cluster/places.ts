import type { Cluster } from './cluster.ts';
import { cleanPath } from './data-directory.ts';

/** Where a kubelet has its directories unless it is told otherwise, and where kubeadm always puts its configuration. */
export const KUBELET_DIR = '/var/lib/kubelet';

/** Where API servers listen behind a load balancer of kubexm's own. */
const BEHIND_BALANCER = 6443;

/** The directories of a node that grow, and that the configuration may put elsewhere. */
export interface DataPlaces {
  readonly etcdDir: string;
  /** Of the kubelet: volumes, plugins, pods. */
  readonly kubeletDir: string;
  /** Of the container runtime: images and containers. */
  readonly imageDir: string;
}

/** Where the nodes of a cluster keep their data: what is checked beforehand is what is used afterwards. */
export function placesOf({ spec }: Cluster): DataPlaces {
  const { etcd, kubernetes, registry } = spec;
  const imageDirs = {
    containerd: registry.containerdDataDir,
    docker: registry.dockerDataDir,
    'cri-o': '/var/lib/containers',
    isulad: '/var/lib/isulad',
  } as const;
  // Of a flag that is given twice the last one holds.
  const root = kubernetes.kubeletArgs.findLast((arg) => arg.startsWith('--root-dir='));
  return {
    etcdDir: cleanPath(etcd.dataDir),
    kubeletDir: cleanPath(root?.slice('--root-dir='.length) ?? KUBELET_DIR),
    imageDir: cleanPath(imageDirs[kubernetes.containerRuntime.type]),
  };
}

/**
 * Where API servers listen: at the port of the control plane, also behind a load balancer of the user's. One that kubexm sets up
 * has that port itself, perhaps on the same machine.
 */
export function apiServerPort({ spec }: Cluster): number {
  const { externalLoadBalancer, internalLoadbalancer, port } = spec.controlPlaneEndpoint;
  const outside = externalLoadBalancer.startsWith('kubexm');
  const inside = internalLoadbalancer === 'haproxy' || internalLoadbalancer === 'nginx';
  return outside || inside ? BEHIND_BALANCER : port;
}
