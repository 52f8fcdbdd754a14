import { cleanPath } from '../model/cluster/data-directory.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { KUBELET_DIR } from '../model/cluster/places.ts';
import { runtimeOf } from './index.ts';

/** The directories of a node that grow, and that the configuration may put elsewhere. */
export interface DataPlaces {
  readonly etcdDir: string;
  /** Of the kubelet: volumes, plugins, pods. */
  readonly kubeletDir: string;
  /** Of the container runtime: images and containers. */
  readonly imageDir: string;
}

/** Where the nodes of a cluster keep their data: what is checked beforehand is what is used afterwards. */
export function placesOf(cluster: Cluster): DataPlaces {
  const { etcd, kubernetes } = cluster.spec;
  // Of a flag that is given twice the last one holds.
  const root = kubernetes.kubeletArgs.findLast((arg) => arg.startsWith('--root-dir='));
  return {
    etcdDir: cleanPath(etcd.dataDir),
    kubeletDir: cleanPath(root?.slice('--root-dir='.length) ?? KUBELET_DIR),
    imageDir: cleanPath(runtimeOf(cluster).dataDir(cluster)),
  };
}
