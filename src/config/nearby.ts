import { nearest } from '../model/cluster/nearest.ts';

/** The hosts that somebody who wrote `name` may have meant: its neighbours in number, or names that look alike. */
export function nearbyHosts(name: string, hosts: Iterable<string>): string {
  const all = [...hosts];
  const split = (text: string): { stem: string; number: number } | undefined => {
    const match = /^(.*?)(\d+)$/.exec(text);
    return match === null ? undefined : { stem: match[1] ?? '', number: Number(match[2]) };
  };
  const wanted = split(name);
  const row = all
    .map((host) => ({ host, at: split(host) }))
    .filter((one) => one.at !== undefined && one.at.stem === wanted?.stem)
    .sort((a, b) => (a.at?.number ?? 0) - (b.at?.number ?? 0));
  const below = row.findLast((one) => (one.at?.number ?? 0) < (wanted?.number ?? 0));
  const above = row.find((one) => (one.at?.number ?? 0) > (wanted?.number ?? 0));
  const neighbours = [below?.host, above?.host].filter((host) => host !== undefined);
  if (neighbours.length > 0) return neighbours.join(', ');
  return nearest(name, all) ?? (all.slice(0, 5).join(', ') || '-');
}
