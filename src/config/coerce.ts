import type { z } from 'zod';
import { documentSchema } from '../model/cluster/document.ts';
import { parseHostsText } from '../model/cluster/hosts-text.ts';
import { MOVES, type Move } from '../model/cluster/moves.ts';
import type { ErrorCode, ErrorParams } from '../model/errors/index.ts';
import { type Field, fieldOf, itemOf, shapeOf, valuesOf } from './introspect.ts';
import { scalarSpans } from './secret-spans.ts';
import type { Span } from './source.ts';
import { type Entry, formatPath, type Mapping, type Path, type Scalar, type Tree, valueAt } from './tree.ts';

/** Told about what cannot be brought into canonical form. */
export type Report = <C extends ErrorCode>(code: C, params: ErrorParams<C>, at: Span, ...also: Span[]) => void;

/** A document in canonical form. */
export interface Canonical {
  readonly tree: Tree;
  /** Where values stand that must not be shown. */
  readonly secrets: readonly Span[];
  /** Fields that are there twice. */
  readonly doubtful: readonly Path[];
}

/** Brings a document into its canonical form: old places and names, single entries for lists, text for mappings. */
export function canonicalTree(tree: Tree, report: Report): Canonical {
  const moved = MOVES.reduce((here, one) => move(here, one, report), chooseMode(tree, report));
  const coercer = new Coercer(report);
  const canonical = coercer.coerce(expandHostText(moved, report), documentSchema, []);
  return { tree: canonical, secrets: coercer.secrets, doubtful: coercer.doubtful };
}

/** `loadBalancer.mode` says whether the external or the internal part holds; the other must not be there. */
function chooseMode(tree: Tree, report: Report): Tree {
  const mode = valueAt(tree, ['spec', 'loadBalancer', 'mode']);
  if (mode === undefined) return tree;
  const value = mode.kind === 'scalar' ? String(mode.value) : '';
  if (value !== 'external' && value !== 'internal') {
    report('KX2210', { field: 'spec.loadBalancer.mode', value, allowed: 'external, internal' }, mode.at);
    return without(tree, ['spec', 'loadBalancer', 'mode']);
  }
  const other = value === 'external' ? 'internal' : 'external';
  const part = valueAt(tree, ['spec', 'loadBalancer', other]);
  if (part !== undefined) report('KX2513', { mode: value, other }, mode.at, part.at);
  return without(without(tree, ['spec', 'loadBalancer', other]), ['spec', 'loadBalancer', 'mode']);
}

/** Seed 002 writes more names as text under `spec.host`; it has been moved to `spec.extra.hosts`. */
function expandHostText(tree: Tree, report: Report): Tree {
  const path = ['spec', 'extra', 'hosts'];
  const value = valueAt(tree, path);
  if (value?.kind !== 'scalar' || typeof value.value !== 'string') return tree;
  const { at } = value;
  const { entries, wrong } = parseHostsText(value.value);
  for (const word of wrong) report('KX2328', { field: 'spec.host', value: word }, at);
  const text = (content: string): Entry => ({
    key: at,
    value: { kind: 'scalar', at, value: content, source: content, quoted: false },
  });
  const items = entries.map(
    (one): Tree => ({
      kind: 'map',
      at,
      entries: new Map([
        ['domain', text(one.domain)],
        ['address', text(one.address)],
      ]),
    }),
  );
  return place(tree, path, { key: at, value: { kind: 'list', at, items } });
}

function move(tree: Tree, { from, to }: Move, report: Report): Tree {
  const source = from.split('.');
  const entry = valueAt(tree, source.slice(0, -1));
  const found = entry?.kind === 'map' ? entry.entries.get(source.at(-1) ?? '') : undefined;
  if (found === undefined) return tree;
  const target = to.split('.');
  const present = valueAt(tree, target.slice(0, -1));
  const taken = present?.kind === 'map' ? present.entries.get(target.at(-1) ?? '') : undefined;
  const cleaned = without(tree, source);
  if (taken !== undefined) {
    report('KX2214', { first: to, second: from }, found.key, taken.key);
    return cleaned;
  }
  return place(cleaned, target, { ...found, written: from });
}

/** A tree without an entry; mappings that become empty go too, so that they are not taken for settings. */
function without(tree: Tree, path: Path): Tree {
  const [key, ...rest] = path;
  if (tree.kind !== 'map' || typeof key !== 'string') return tree;
  const entry = tree.entries.get(key);
  if (entry === undefined) return tree;
  const entries = new Map(tree.entries);
  const value = rest.length === 0 ? undefined : without(entry.value, rest);
  const emptied = value?.kind === 'map' && value.entries.size === 0 && key !== 'spec' && key !== 'kubernetes';
  if (value === undefined || emptied) entries.delete(key);
  else entries.set(key, { ...entry, value });
  return { ...tree, entries };
}

/** A tree with an entry; mappings on the way are made as needed. */
function place(tree: Tree, path: Path, entry: Entry): Tree {
  const [key, ...rest] = path;
  if (tree.kind !== 'map' || typeof key !== 'string') return tree;
  const entries = new Map(tree.entries);
  if (rest.length === 0) entries.set(key, entry);
  else {
    const there = entries.get(key);
    const empty: Mapping = { kind: 'map', at: entry.key, entries: new Map() };
    const nothing = there?.value.kind === 'scalar' && there.value.value === null;
    const below = there === undefined || nothing ? empty : there.value;
    entries.set(key, { ...(there ?? { key: entry.key, made: true }), value: place(below, rest, entry) });
  }
  return { ...tree, entries };
}

/** One walk over document and schema. */
class Coercer {
  readonly secrets: Span[] = [];
  readonly doubtful: Path[] = [];
  readonly #report: Report;
  readonly #aliases = new Map<z.ZodType, ReadonlyMap<string, string>>();
  readonly #fields = new Map<z.ZodType, Field>();

  constructor(report: Report) {
    this.#report = report;
  }

  coerce(tree: Tree, schema: z.ZodType, path: Path): Tree {
    const { core, meta } = this.#field(schema);
    if (meta.free === true) return tree;
    if (meta.secret === true) this.secrets.push(...scalarSpans(tree));
    const item = itemOf(core);
    if (item !== undefined) {
      const single = meta.oneOrMany === true && tree.kind !== 'list';
      const listed: Tree = single ? { kind: 'list', at: tree.at, items: [tree] } : tree;
      if (listed.kind !== 'list') return tree;
      return { ...listed, items: listed.items.map((one, i) => this.coerce(one, item, [...path, i])) };
    }
    const expanded = meta.shorthand !== undefined && isText(tree) ? longhand(tree, meta.shorthand) : tree;
    if (expanded.kind === 'scalar') this.#number(expanded, core, path);
    if (expanded.kind !== 'map') return expanded;
    const values = valuesOf(core);
    if (values !== undefined) {
      const entries = [...expanded.entries].map(
        ([key, entry]) => [key, { ...entry, value: this.coerce(entry.value, values, [...path, key]) }] as const,
      );
      return { ...expanded, entries: new Map(entries) };
    }
    const shape = shapeOf(core);
    return shape === undefined ? expanded : this.#keys(expanded, core, shape, path);
  }

  #keys(tree: Mapping, core: z.ZodType, shape: Readonly<Record<string, z.ZodType>>, path: Path): Mapping {
    const names = this.#aliasesOf(core, shape);
    const entries = new Map<string, Entry>();
    for (const [written, entry] of tree.entries) {
      const key = names.get(written) ?? written;
      const taken = entries.get(key);
      if (entry.doubtful === true) this.doubtful.push([...path, key]);
      const schema = Object.hasOwn(shape, key) ? shape[key] : undefined;
      // A key without a value says nothing, as when all lines below it are comments.
      const unset = schema !== undefined && isNothing(entry.value);
      if (taken !== undefined && taken.unset !== true) {
        if (!unset) this.#twice([...path, key], written, taken, entry);
        continue;
      }
      const value = schema === undefined || unset ? entry.value : this.coerce(entry.value, schema, [...path, key]);
      const marks = { ...(written === key ? {} : { written }), ...(unset ? { unset: true as const } : {}) };
      entries.set(key, { ...entry, value, ...marks });
    }
    return { ...tree, entries };
  }

  /** `022` is 18 for some programs and 22 for others. */
  #number(tree: Scalar, core: z.ZodType, path: Path): void {
    if (typeof tree.value !== 'number' || core.type !== 'number' || /^-?(0|[1-9]\d*)$/.test(tree.source)) return;
    if (!Number.isInteger(tree.value)) return;
    this.#report('KX2207', { field: formatPath(path), value: tree.source, number: tree.value }, tree.at);
  }

  #twice(path: Path, written: string, taken: Entry, entry: Entry): void {
    const first = formatPath(path);
    const last = path.at(-1) === written ? (taken.written ?? written) : written;
    const second = last.includes('.') ? last : formatPath([...path.slice(0, -1), last]);
    this.#report('KX2214', { first, second }, entry.key, taken.key);
  }

  #aliasesOf(core: z.ZodType, shape: Readonly<Record<string, z.ZodType>>): ReadonlyMap<string, string> {
    const known = this.#aliases.get(core);
    if (known !== undefined) return known;
    const names = new Map<string, string>();
    for (const [key, schema] of Object.entries(shape)) {
      for (const other of fieldOf(schema).meta.aliases ?? []) names.set(other, key);
    }
    this.#aliases.set(core, names);
    return names;
  }

  #field(schema: z.ZodType): Field {
    const known = this.#fields.get(schema);
    if (known !== undefined) return known;
    const field = fieldOf(schema);
    this.#fields.set(schema, field);
    return field;
  }
}

function isNothing(tree: Tree): boolean {
  return tree.kind === 'scalar' && tree.value === null;
}

function isText(tree: Tree): tree is Scalar {
  return tree.kind === 'scalar' && typeof tree.value === 'string';
}

function longhand(tree: Scalar, key: string): Mapping {
  return { kind: 'map', at: tree.at, entries: new Map([[key, { key: tree.at, value: tree }]]) };
}
