import type { Package } from './control.ts';

/** Finds packages by name; those that do not exist are not in the answer. */
export type LookUp = (names: readonly string[]) => Promise<readonly Package[]>;

/** Packages that an image needs, and names that no package has. */
export interface Closure {
  /** By name. */
  readonly packages: readonly Package[];
  readonly missing: readonly string[];
}

/**
 * The named packages, and the libraries that they need. Other dependencies are for installing and for whole systems (debconf,
 * init scripts, perl): where an image needs one of those, it names it.
 */
export async function closureOf(names: readonly string[], lookUp: LookUp): Promise<Closure> {
  const known = new Map<string, Package>();
  const asked = new Set<string>();
  const learn = async (some: Iterable<string>): Promise<void> => {
    const fresh = [...new Set(some)].filter((name) => !asked.has(name)).sort();
    for (const name of fresh) asked.add(name);
    if (fresh.length > 0) for (const one of await lookUp(fresh)) known.set(one.name, one);
  };
  await learn(names);
  const missing = names.filter((name) => !known.has(name));
  const chosen = new Map<string, Package>();
  for (const name of names) {
    const found = known.get(name);
    if (found !== undefined) chosen.set(name, found);
  }
  for (let edge = [...chosen.values()]; edge.length > 0; ) {
    await learn(edge.flatMap(({ depends }) => depends.flat()));
    const next: Package[] = [];
    for (const choice of edge.flatMap(({ depends }) => depends)) {
      if (choice.some((name) => chosen.has(name))) continue;
      const found = choice.map((name) => known.get(name)).find((one) => one !== undefined);
      if (found === undefined || !isLibrary(found)) continue;
      chosen.set(found.name, found);
      next.push(found);
    }
    edge = next;
  }
  return { packages: [...chosen.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), missing };
}

/** zlib1g does not begin with lib; the section says what it is. */
function isLibrary({ section }: Package): boolean {
  return /(^|\/)(old)?libs$/.test(section);
}
