import type { CatalogImage, Zone } from '../../model/catalog/schema.ts';
import type { Cluster } from '../../model/cluster/index.ts';

/** The registry of Kubernetes' own images. */
const KUBERNETES_REGISTRY = 'registry.k8s.io';

/** Where an image is in a cluster and in its zone; without tags. */
export interface ImagePlaces {
  readonly mirrors: readonly string[];
  readonly reference: string;
}

/** The repository that Kubernetes' own images are taken from: what kubeadm calls imageRepository. */
export function imageRepository(cluster: Cluster, zone?: Zone): string {
  return privateRepository(cluster) ?? zone?.imageRepository ?? KUBERNETES_REGISTRY;
}

/** Where an image comes from in a zone, and how the cluster names it. */
export function placesOf(image: CatalogImage, cluster: Cluster, zone?: Zone): ImagePlaces {
  const mirrors = zone === undefined ? [] : mirrorsOf(image.repository, zone);
  const own = privateName(image.repository, cluster);
  return { mirrors, reference: own ?? mirrors[0] ?? image.repository };
}

function mirrorsOf(repository: string, zone: Zone): string[] {
  const { host, path, last } = split(repository);
  // Mirrors of Kubernetes' registry are flat: kubeadm looks for coredns in them, not for coredns/coredns.
  const flat = host === KUBERNETES_REGISTRY ? [`${zone.imageRepository}/${last}`] : [];
  return [...flat, ...(zone.images[host] ?? []).map((mirror) => `${mirror}/${path}`)];
}

function privateName(repository: string, cluster: Cluster): string | undefined {
  const base = privateRepository(cluster);
  if (base === undefined) return undefined;
  const { host, path, last } = split(repository);
  const flat = host === KUBERNETES_REGISTRY || cluster.spec.registry.namespaceOverride !== '';
  return `${base}/${flat ? last : path}`;
}

function privateRepository(cluster: Cluster): string | undefined {
  const { type, privateRegistry, namespaceOverride } = cluster.spec.registry;
  if (type === 'none' || privateRegistry === undefined || privateRegistry === '') return undefined;
  return namespaceOverride === '' ? privateRegistry : `${privateRegistry}/${namespaceOverride}`;
}

function split(repository: string): { readonly host: string; readonly path: string; readonly last: string } {
  const [host = '', ...parts] = repository.split('/');
  return { host, path: parts.join('/'), last: parts.at(-1) ?? '' };
}
