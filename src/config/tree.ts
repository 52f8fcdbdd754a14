import type { Json } from '../model/json.ts';
import type { Span } from './source.ts';

/** A path into a document. */
export type Path = readonly (string | number)[];

/** A value with its place in the text. */
export type Tree = Scalar | List | Mapping;

/** A single value as YAML read it, and as it was written. */
export interface Scalar {
  readonly kind: 'scalar';
  readonly at: Span;
  readonly value: string | number | boolean | null;
  readonly source: string;
  readonly quoted: boolean;
}

/** A sequence. */
export interface List {
  readonly kind: 'list';
  readonly at: Span;
  readonly items: readonly Tree[];
}

/** A mapping. */
export interface Mapping {
  readonly kind: 'map';
  readonly at: Span;
  readonly entries: ReadonlyMap<string, Entry>;
}

/** A key and its value. */
export interface Entry {
  readonly key: Span;
  readonly value: Tree;
  /** The key or path the user wrote, if it is not the canonical one. */
  readonly written?: string;
  /** The key stands there without a value, which says nothing. */
  readonly unset?: true;
  /** Nobody wrote this key: it was made for an entry that has been moved here. */
  readonly made?: true;
  /** The key is there twice, so nobody can tell which value was meant. */
  readonly doubtful?: true;
}

/** `spec.hosts[0].name` */
export function formatPath(path: Path): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(part)) text += text === '' ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}

/** The value at a path. */
export function valueAt(tree: Tree | undefined, path: Path): Tree | undefined {
  let here = tree;
  for (const part of path) {
    if (here?.kind === 'map' && typeof part === 'string') here = here.entries.get(part)?.value;
    else if (here?.kind === 'list' && typeof part === 'number') here = here.items[part];
    else return undefined;
  }
  return here;
}

/** The entry at a path that ends in a key. */
export function entryAt(tree: Tree | undefined, path: Path): Entry | undefined {
  const parent = valueAt(tree, path.slice(0, -1));
  const key = path.at(-1);
  return parent?.kind === 'map' && typeof key === 'string' ? parent.entries.get(key) : undefined;
}

/** What to underline for the value at a path: the value, its key if it is long, or what comes nearest. */
export function spanAt(tree: Tree | undefined, path: Path): Span {
  const value = valueAt(tree, path);
  const entry = entryAt(tree, path);
  if (value?.kind === 'scalar' && value.source !== '') return value.at;
  if (entry !== undefined) return entry.key;
  if (value !== undefined && path.length > 0) return value.at;
  return path.length > 0 ? spanAt(tree, path.slice(0, -1)) : { start: tree?.at.start ?? 0, end: tree?.at.start ?? 0 };
}

/** Plain data without places. */
export function dataOf(tree: Tree): Json {
  if (tree.kind === 'scalar') return tree.value;
  if (tree.kind === 'list') return tree.items.map(dataOf);
  const set = [...tree.entries].filter(([, entry]) => entry.unset !== true);
  return Object.fromEntries(set.map(([key, entry]) => [key, dataOf(entry.value)]));
}
