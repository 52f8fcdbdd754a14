import type { CollectedState, Difference, Entries, Facet, Section, Unseen } from './types.ts';
import { SECTIONS } from './types.ts';

/** What differs between two states of one section, in order of their keys. */
export function compareEntries(section: Section, before: Entries, after: Entries): Difference[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort();
  return keys.flatMap((key): Difference[] => {
    const old = before.get(key);
    const now = after.get(key);
    if (old === undefined) return now === undefined ? [] : [{ section, key, change: 'added', after: now }];
    if (now === undefined) return [{ section, key, change: 'removed', before: old }];
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) => old[name] !== now[name]);
    if (names.length === 0) return [];
    return [{ section, key, change: 'changed', before: only(old, names), after: only(now, names) }];
  });
}

/** What differs between two states of a machine, and what could not be compared. */
export function compareStates(
  before: CollectedState,
  after: CollectedState,
): { readonly differences: Difference[]; readonly unseen: Unseen[] } {
  const unseen = new Map<Section, Unseen>();
  for (const one of [...before.unseen, ...after.unseen]) unseen.set(one.section, unseen.get(one.section) ?? one);
  const differences: Difference[] = [];
  for (const section of SECTIONS) {
    if (section === 'file' || unseen.has(section)) continue;
    const old = before.sections.get(section);
    const now = after.sections.get(section);
    if (old === undefined || now === undefined) unseen.set(section, { section, reason: 'it was not collected' });
    else differences.push(...compareEntries(section, old, now));
  }
  const old = before.sections.get('link');
  const both = new Set([...(after.sections.get('link')?.keys() ?? [])].filter((name) => old?.has(name)));
  return {
    differences: differences.filter((one) => one.section !== 'sysctl' || !ofPassingLink(one.key, both)),
    unseen: inOrder([...unseen.values()]),
  };
}

/** Every link has some hundred settings of its own, which come and go with it: the link itself is the difference. */
function ofPassingLink(key: string, links: ReadonlySet<string>): boolean {
  const link = /^net\/(?:ipv4|ipv6|mpls)\/(?:conf|neigh)\/([^/]+)\//.exec(key)?.[1];
  return link !== undefined && link !== 'all' && link !== 'default' && !links.has(link);
}

/** In the order of the sections. */
function inOrder<T extends { readonly section: Section }>(items: readonly T[]): T[] {
  const place = new Map<string, number>(SECTIONS.map((section, i) => [section, i]));
  return items.toSorted((a, b) => (place.get(a.section) ?? 0) - (place.get(b.section) ?? 0));
}

function only(facet: Facet, names: readonly string[]): Facet {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = facet[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
