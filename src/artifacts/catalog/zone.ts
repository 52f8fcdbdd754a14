import type { Catalog, Zone } from '../../model/catalog/schema.ts';
import type { Cluster } from '../../model/cluster/index.ts';
import { kubexmError } from '../../model/errors/index.ts';

/** The zone of a cluster: the environment variable KMZONE wins over the configuration. Empty means none. */
export function zoneOf(cluster: Cluster, environment: Readonly<Record<string, string | undefined>>): string {
  return (environment['KMZONE'] ?? cluster.spec.artifacts.zone).trim().toLowerCase();
}

/** The mirrors of a zone; none for the empty name. */
export function findZone(catalog: Catalog, name: string): Zone | undefined {
  if (name === '') return undefined;
  const zone = catalog.zones.get(name);
  if (zone !== undefined) return zone;
  throw kubexmError('KX7006', { zone: name, known: [...catalog.zones.keys()].sort().join(', ') });
}

/** An address on the mirrors of a zone, best first. */
export function mirrorUrls(url: string, zone?: Zone): string[] {
  const prefixes = Object.keys(zone?.files ?? {}).filter((prefix) => url.startsWith(prefix));
  const longest = prefixes.toSorted((a, b) => b.length - a.length)[0];
  if (longest === undefined) return [];
  return (zone?.files[longest] ?? []).map((mirror) => mirror + url.slice(longest.length));
}
