import { MOVES } from '../model/cluster/moves.ts';
import { canonicalTree, type Report } from './coerce.ts';
import { fieldOf, schemaAt, shapeOf } from './introspect.ts';
import { parseYaml } from './parse.ts';
import { namesSecret, scalarSpans } from './secret-spans.ts';
import { type ConfigSource, type Span, sourceOf } from './source.ts';
import { type Entry, formatPath, type Mapping, type Path, type Scalar, type Tree, valueAt } from './tree.ts';

/** A word behind `-e`, and where it stands in the text of the source. */
export interface Override {
  readonly text: string;
  readonly start: number;
}

/** A source whose text goes on with the words behind `-e`, a line each, so that problems can point at them. */
export function withOverrides(
  source: ConfigSource,
  words: readonly string[],
): { readonly source: ConfigSource; readonly overrides: readonly Override[] } {
  if (words.length === 0) return { source, overrides: [] };
  const overrides: Override[] = [];
  let text = source.text ?? '';
  for (const word of words) {
    text += '\n';
    overrides.push({ text: word, start: text.length });
    text += word;
  }
  const { lineStarts } = sourceOf(source.file, text);
  return { source: { ...source, text, lineStarts, words: source.lineStarts.length }, overrides };
}

/** A document in which the fields of the command line hold instead of what the file says about them. */
export function placeOverrides(tree: Tree, source: ConfigSource, overrides: readonly Override[], report: Report): Tree {
  if (overrides.length === 0) return tree;
  // First the one spelling of each field: what the file calls by an old name must not stand beside what is given here.
  let whole = canonicalTree(tree, report).tree;
  for (const override of overrides) whole = placeOne(whole, source, override, report);
  return whole;
}

function placeOne(tree: Tree, source: ConfigSource, { text, start }: Override, report: Report): Tree {
  const word: Span = { start, end: start + text.length };
  const words = parseWord(text);
  if (words === undefined) {
    report('KX2230', { text: maskedWord(text) }, word);
    return tree;
  }
  const key: Span = { start, end: start + words.length };
  const value = parseValue(source, text, start, words.length + 1, report);
  if (value === undefined) return tree;
  const path = placeIn(tree, canonicalPath(words.path), key, report);
  if (path === undefined) return tree;
  if (holdsSecret(path, value)) {
    report('KX2232', { field: formatPath(path) }, key);
    return tree;
  }
  return withValue(tree, path, { key, value });
}

type Part = string | number | { readonly named: string };

const TOP: ReadonlySet<unknown> = new Set(['apiVersion', 'kind', 'metadata', 'spec']);

/** `hosts[node1].labels["a.b"]=…`: its path, from `spec` on where it does not say otherwise, and how long it is written. */
function parseWord(text: string): { readonly path: readonly Part[]; readonly length: number } | undefined {
  const token = /\.?([^\s.=[\]"']+)|\[(\d+)\]|\["([^"]+)"\]|\[([^\s\]"]+)\]/y;
  const parts: Part[] = [];
  while (text[token.lastIndex] !== '=') {
    const [, key, index, quoted, named] = token.exec(text) ?? [];
    if (key !== undefined || quoted !== undefined) parts.push(key ?? quoted ?? '');
    else if (index !== undefined) parts.push(Number(index));
    else if (named !== undefined) parts.push({ named });
    else return undefined;
  }
  if (parts.length === 0) return undefined;
  return { path: TOP.has(parts[0]) ? parts : ['spec', ...parts], length: token.lastIndex };
}

/** What is not understood may hold a secret behind its sign of equality. */
function maskedWord(text: string): string {
  const at = text.indexOf('=');
  return at < 0 ? text : `${text.slice(0, at)}=…`;
}

/** The value as YAML reads it. */
function parseValue(source: ConfigSource, text: string, start: number, from: number, report: Report): Tree | undefined {
  const value = text.slice(from);
  const at: Span = { start: start + from, end: start + text.length };
  if (value.trim() === '') return { kind: 'scalar', at, value: '', source: '', quoted: true };
  const parsed = parseYaml(source, { text: value, original: (offset) => start + from + offset });
  if (parsed.tree !== undefined && parsed.problems.length === 0) return parsed.tree;
  report('KX2230', { text: maskedWord(text) }, at);
  return undefined;
}

/** The path by the canonical names of its fields. */
function canonicalPath(path: readonly Part[]): readonly Part[] {
  const moved = MOVES.reduce((here, { from, to }) => {
    const old = from.split('.');
    return old.every((part, i) => here[i] === part) ? [...to.split('.'), ...here.slice(old.length)] : here;
  }, path);
  const found: Part[] = [];
  for (const part of moved) found.push(typeof part === 'string' ? canonicalKey(found, part) : part);
  return found;
}

function canonicalKey(above: readonly Part[], key: string): string {
  const schema = schemaAt(above.map((part) => (typeof part === 'object' ? 0 : part)));
  const shape = schema && shapeOf(schema);
  if (shape === undefined || Object.hasOwn(shape, key)) return key;
  return Object.entries(shape).find(([, one]) => fieldOf(one).meta.aliases?.includes(key))?.[0] ?? key;
}

/** The path in this document: entries of lists by number. Undefined, and reported, where it leads nowhere. */
function placeIn(tree: Tree, path: readonly Part[], at: Span, report: Report): Path | undefined {
  const found: (string | number)[] = [];
  for (const part of path) {
    const here = valueAt(tree, found);
    const next = here?.kind === 'list' ? indexIn(here.items, part) : keyIn(here, part);
    if (next === undefined) {
      report('KX2231', { field: formatPath(found), part: typeof part === 'object' ? part.named : part }, at);
      return undefined;
    }
    found.push(next);
  }
  return found;
}

function indexIn(items: readonly Tree[], part: Part): number | undefined {
  if (typeof part === 'number') return part < items.length ? part : undefined;
  const name = typeof part === 'object' ? part.named : part;
  const index = items.findIndex((item) => {
    const value = valueAt(item, ['name']);
    return value?.kind === 'scalar' && value.value === name;
  });
  return index < 0 ? undefined : index;
}

function keyIn(here: Tree | undefined, part: Part): string | undefined {
  if (typeof part === 'number') return undefined;
  const free = here === undefined || here.kind === 'map' || isNothing(here);
  return free ? (typeof part === 'object' ? part.named : part) : undefined;
}

function isNothing(tree: Tree): tree is Scalar {
  return tree.kind === 'scalar' && (tree.value === null || tree.value === '');
}

function holdsSecret(path: Path, value: Tree): boolean {
  if (namesSecret(String(path.at(-1)))) return scalarSpans(value).length > 0;
  if (value.kind === 'list') return value.items.some((item) => holdsSecret([...path, 0], item));
  return value.kind === 'map' && [...value.entries].some(([key, entry]) => holdsSecret([...path, key], entry.value));
}

/** A document with a value; mappings on the way to it are made as needed. */
function withValue(tree: Tree | undefined, path: Path, entry: Entry): Tree {
  const [part, ...rest] = path;
  if (part === undefined) return entry.value;
  if (tree?.kind === 'list') {
    return { ...tree, items: tree.items.map((item, i) => (i === part ? withValue(item, rest, entry) : item)) };
  }
  const map: Mapping = tree?.kind === 'map' ? tree : { kind: 'map', at: entry.key, entries: new Map() };
  const entries = new Map(map.entries);
  const before = entries.get(String(part));
  const value = withValue(before?.value, rest, entry);
  const { unset: _unset, ...kept } = before ?? { key: entry.key, made: true as const };
  entries.set(String(part), rest.length === 0 ? entry : { ...kept, value });
  return { ...map, entries };
}
