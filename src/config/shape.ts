import { API_VERSION, type ClusterDocument, documentSchema } from '../model/cluster/document.ts';
import type { Json } from '../model/json.ts';
import type { Report } from './coerce.ts';
import { type Issue, reportIssues } from './issues.ts';
import { dataOf, formatPath, type Path, type Tree } from './tree.ts';

/** A document, complete or with its wrong parts left out, so that rules can still look at the rest. */
export interface Shaped {
  /** Undefined if so much is wrong that there is nothing to look at. */
  readonly document: ClusterDocument | undefined;
  /** Paths of what was left out. */
  readonly broken: readonly Path[];
  /** The path in the file for a path in the document. */
  readonly original: (path: Path) => Path;
}

/** Stand-ins for required values that are wrong or missing; never seen by anybody but rules that do not read them. */
const STAND_INS: Readonly<Record<string, Json>> = {
  apiVersion: API_VERSION,
  kind: 'Cluster',
  metadata: { name: 'unnamed' },
  'metadata.name': 'unnamed',
  'spec.hosts': [],
  'spec.kubernetes': { version: 'v1.34.0' },
  'spec.kubernetes.version': 'v1.34.0',
};
const ROUNDS = 8;

/** Checks types, formats and keys. All problems are reported; what is left is a document that fits the schema. */
export function checkShape(tree: Tree, doubtful: readonly Path[], report: Report): Shaped {
  let data = dataOf(tree) as MutableJson;
  const cuts = new Cuts(doubtful);
  for (let round = 0; round < ROUNDS; round += 1) {
    const result = documentSchema.safeParse(data);
    if (result.success) return { document: result.data, broken: cuts.broken, original: (path) => cuts.original(path) };
    const issues = result.error.issues as readonly Issue[];
    // Later rounds only find what the cuts of earlier ones left incomplete.
    if (round === 0) cuts.broken.push(...reportIssues(issues, tree, report));
    if (data === null || typeof data !== 'object' || Array.isArray(data)) break;
    data = cuts.cut(data, issues);
  }
  return { document: undefined, broken: cuts.broken, original: (path) => cuts.original(path) };
}

type MutableJson = null | boolean | number | string | MutableJson[] | { [key: string]: MutableJson };

/** Cuts wrong values out of a document and remembers where the others came from. */
class Cuts {
  readonly broken: Path[];
  /** By path of a list in the file: the file's index of each entry that is left. */
  readonly #indexes = new Map<string, readonly number[]>();

  constructor(broken: readonly Path[]) {
    this.broken = [...broken];
  }

  original(path: Path): Path {
    const found: (string | number)[] = [];
    for (const part of path) {
      const indexes = typeof part === 'number' ? this.#indexes.get(formatPath(found)) : undefined;
      found.push(typeof part === 'number' ? (indexes?.[part] ?? part) : part);
    }
    return found;
  }

  cut(data: MutableJson, issues: readonly Issue[]): MutableJson {
    const entries: Path[] = [];
    for (const target of issues.flatMap((issue) => targetsOf(issue, data))) {
      this.broken.push(this.original(target));
      const key = target.at(-1);
      const parent = get(data, target.slice(0, -1));
      const place = formatPath(target);
      // A key of the file may be called as what every object has: valueOf, constructor …
      const standIn = Object.hasOwn(STAND_INS, place) ? STAND_INS[place] : undefined;
      if (typeof key === 'number') entries.push(target);
      else if (key !== undefined && parent !== null && typeof parent === 'object' && !Array.isArray(parent)) {
        if (standIn === undefined) delete parent[key];
        else parent[key] = structuredClone(standIn) as MutableJson;
      }
    }
    this.#removeEntries(data, entries);
    return data;
  }

  /** Lists are cut once each, the deepest first, so that the paths of the others stay right. */
  #removeEntries(data: MutableJson, entries: readonly Path[]): void {
    const lists = new Map<string, { path: Path; gone: Set<number> }>();
    for (const entry of entries) {
      const path = entry.slice(0, -1);
      const key = formatPath(path);
      const known = lists.get(key) ?? { path, gone: new Set<number>() };
      known.gone.add(Number(entry.at(-1)));
      lists.set(key, known);
    }
    for (const { path, gone } of [...lists.values()].sort((a, b) => b.path.length - a.path.length)) {
      const list = get(data, path);
      if (!Array.isArray(list)) continue;
      const key = formatPath(this.original(path));
      const indexes = this.#indexes.get(key) ?? list.map((_, i) => i);
      this.#indexes.set(
        key,
        indexes.filter((_, i) => !gone.has(i)),
      );
      const left = list.filter((_, i) => !gone.has(i));
      list.length = 0;
      for (const item of left) list.push(item);
    }
  }
}

/** What to leave out because of an issue: the value; what it is missing from; the unknown keys. */
function targetsOf(issue: Issue, data: MutableJson): readonly Path[] {
  if (issue.code === 'unrecognized_keys') return (issue.keys ?? []).map((key) => [...issue.path, key]);
  if (get(data, issue.path) !== undefined || STAND_INS[formatPath(issue.path)] !== undefined) return [issue.path];
  return issue.path.length > 1 ? [issue.path.slice(0, -1)] : [];
}

function get(data: MutableJson, path: Path): MutableJson | undefined {
  return path.reduce<MutableJson | undefined>((here, part) => {
    if (Array.isArray(here)) return typeof part === 'number' ? here[part] : undefined;
    if (here === null || typeof here !== 'object') return undefined;
    return typeof part === 'string' && Object.hasOwn(here, part) ? here[part] : undefined;
  }, data);
}
