import { type CatalogLine, componentsOf, nodesIn } from '../../component/index.ts';
import type { Component } from '../../model/catalog/schema.ts';
import type { Cluster, ClusterHost } from '../../model/cluster/cluster.ts';
import type { Wanted } from './choose.ts';

/** Files and images of a component by name, with the hosts that need them. */
export interface Request {
  readonly component: string;
  readonly wanted?: Wanted;
  readonly files: ReadonlyMap<string, readonly ClusterHost[]>;
  readonly images: ReadonlyMap<string, readonly ClusterHost[]>;
  /** Hosts that get its packages from their operating system. */
  readonly packages: readonly ClusterHost[];
}

type Hosts = readonly ClusterHost[];

/** What a cluster asks of the catalog, component by component. */
export function requestsOf(cluster: Cluster): readonly Request[] {
  const lines = componentsOf(cluster).flatMap((component) => component.catalog(cluster));
  return [...Map.groupBy(lines, (line) => line.component)].flatMap(([component, some]) => {
    const files = merged(cluster, some, (line) => line.files);
    const images = merged(cluster, some, (line) => line.images);
    const packages = inOrder(
      cluster,
      some.filter((line) => line.packages).flatMap((line) => line.hosts),
    );
    if (files.size + images.size + packages.length === 0) return [];
    const wanted = some.find((line) => line.wanted !== undefined)?.wanted;
    return [{ component, files, images, packages, ...(wanted === undefined ? {} : { wanted }) }];
  });
}

/** All of a component for all nodes. */
export function requestFor(cluster: Cluster, { component, files, images }: Component): Request {
  const hosts = nodesIn(cluster);
  const forAll = (parts: readonly { readonly name: string }[]) => new Map(parts.map(({ name }) => [name, hosts]));
  return { component, files: forAll(files), images: forAll(images), packages: [] };
}

function merged(
  cluster: Cluster,
  lines: readonly CatalogLine[],
  namesOf: (line: CatalogLine) => readonly string[] | undefined,
) {
  const hosts = new Map<string, ClusterHost[]>();
  for (const line of lines) {
    for (const name of namesOf(line) ?? []) hosts.set(name, [...(hosts.get(name) ?? []), ...line.hosts]);
  }
  const sorted = [...hosts].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    sorted.map(([name, some]) => [name, inOrder(cluster, some)] as const).filter(([, some]) => some.length > 0),
  );
}

function inOrder(cluster: Cluster, hosts: Hosts): Hosts {
  const wanted = new Set(hosts.map((host) => host.name));
  return cluster.spec.hosts.filter((host) => wanted.has(host.name));
}
