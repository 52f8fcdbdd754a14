import { type Document, isAlias, isMap, isPair, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import type { ErrorCode, ErrorParams } from '../model/errors/index.ts';
import type { EditedText } from './edited-text.ts';
import { type Problem, problem } from './problem.ts';
import { type ConfigSource, locationOf, type Span } from './source.ts';
import type { Entry, Mapping, Scalar, Tree } from './tree.ts';
import { openQuotes, yamlProblem } from './yaml-errors.ts';

const MAX_DEPTH = 64;
const MAX_NODES = 250_000;
/** Problems that are counted; a hundred of a kind are shown. */
const ENOUGH = 20_000;
/** Enough for 5,000 hosts that share their settings by `<<: *defaults`. */
const MAX_ALIASED = 50_000;

/** A document with places, or what is wrong with it. */
export interface Parsed {
  readonly tree: Tree | undefined;
  readonly problems: readonly Problem[];
}

/** Parses YAML 1.2 without tags, directives and surprises. */
export function parseYaml(source: ConfigSource, corrected: EditedText): Parsed {
  const document = parseQuietly(corrected.text);
  const at = (span: Span) =>
    locationOf(source, { start: corrected.original(span.start), end: corrected.original(span.end) });
  const quotes = openQuotes(corrected.text);
  const errors = document.errors.slice(0, 200).map((error) => yamlProblem(error, corrected.text, at, quotes));
  if (errors.length > 0) return { tree: undefined, problems: withoutEchoes(errors) };
  const builder = new Builder(document, corrected, (span) => locationOf(source, span));
  const tree = builder.build();
  return { tree, problems: builder.problems };
}

/** The library makes an Error object per mistake; stack traces of a hundred thousand would take seconds. */
function parseQuietly(text: string): Document {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent', resolveKnownTags: false });
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** One mistake often gives several errors: the first of a line is kept, vague ones only if nothing came before. */
function withoutEchoes(problems: readonly Problem[]): readonly Problem[] {
  const sorted = [...problems].sort((a, b) => a.at.line - b.at.line);
  const indents = new Set(sorted.filter((one) => one.code === 'KX2120').map((one) => one.at.line));
  const lines = new Set<number>();
  // What follows an open quote was read as its text.
  const quote = sorted.find((one) => one.code === 'KX2121')?.at.line ?? Number.POSITIVE_INFINITY;
  return sorted.filter((one, i) => {
    if (one.at.line > quote) return false;
    const vague = one.code === 'KX2131' && i > 0;
    const echo =
      (one.code === 'KX2124' || one.code === 'KX2123') && [-1, 0, 1].some((step) => indents.has(one.at.line + step));
    if (vague || echo || lines.has(one.at.line)) return false;
    lines.add(one.at.line);
    return true;
  });
}

/** Thrown inside this file only, to leave the recursion when a document is refused as a whole. */
class Refused extends Error {}

class Builder {
  readonly problems: Problem[] = [];
  readonly #document: Document;
  readonly #corrected: EditedText;
  readonly #locate: (span: Span) => Problem['at'];
  /** An alias stands for the last anchor of its name before it. */
  readonly #anchors = new Map<string, Node>();
  #nodes = 0;
  #aliased = 0;

  constructor(document: Document, corrected: EditedText, locate: (span: Span) => Problem['at']) {
    this.#document = document;
    this.#corrected = corrected;
    this.#locate = locate;
  }

  build(): Tree | undefined {
    const { contents } = this.#document;
    if (contents === null) {
      this.#report('KX2011', {}, { start: 0, end: 0 });
      return undefined;
    }
    try {
      return this.#tree(contents, 0, false);
    } catch (error) {
      if (error instanceof Refused) return undefined;
      throw error;
    }
  }

  #tree(node: Node, depth: number, aliased: boolean): Tree {
    const at = this.#span(node);
    this.#nodes += 1;
    this.#aliased += aliased ? 1 : 0;
    if (depth > MAX_DEPTH) this.#refuse('KX2013', { limit: MAX_DEPTH }, at);
    if (this.#nodes > MAX_NODES) this.#refuse('KX2014', { limit: MAX_NODES }, at);
    if (this.#aliased > MAX_ALIASED) this.#refuse('KX2015', { limit: MAX_ALIASED }, at);
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target === undefined) this.#refuse('KX2127', {}, at);
      return this.#tree(target, depth + 1, true);
    }
    const { anchor } = node as { anchor?: string };
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    const tag = (node as { tag?: string }).tag;
    if (tag !== undefined && !/^tag:yaml\.org,2002:(str|int|float|bool|null|map|seq)$/.test(tag)) {
      this.#report('KX2128', { tag: tag.replace('tag:yaml.org,2002:', '!!') }, at);
    }
    if (isMap(node)) return this.#mapping(node.items, at, depth, aliased);
    if (isSeq(node)) {
      const items = node.items.map((item) => this.#value(isPair(item) ? item.value : item, at, depth, aliased));
      return { kind: 'list', at, items };
    }
    return scalar(node, at);
  }

  #mapping(items: readonly { key: unknown; value: unknown }[], at: Span, depth: number, aliased: boolean): Mapping {
    const entries = new Map<string, Entry>();
    const merged = new Map<string, Entry>();
    for (const item of items) {
      const keyNode = item.key as Node | null;
      const key = this.#span(keyNode ?? (item.value as Node | null), at);
      const name = isScalar(keyNode) ? (keyNode.source ?? String(keyNode.value ?? '')) : undefined;
      if (name === undefined) this.#report('KX2129', {}, key);
      else if (name === '__proto__') this.#report('KX2132', { key: name }, key);
      else if (name === '<<' && isScalar(keyNode) && keyNode.type === 'PLAIN') {
        this.#merge(this.#value(item.value, key, depth, aliased), merged, key);
      } else {
        const first = entries.get(name);
        if (first !== undefined) {
          this.#report('KX2113', { key: name }, key, first.key);
          entries.set(name, { ...first, doubtful: true });
        } else entries.set(name, { key, value: this.#value(item.value, key, depth, aliased) });
      }
    }
    for (const [name, entry] of merged) if (!entries.has(name)) entries.set(name, entry);
    return { kind: 'map', at, entries };
  }

  /** `<<: *defaults`: earlier mappings win over later ones, own keys over both. */
  #merge(value: Tree, merged: Map<string, Entry>, key: Span): void {
    for (const one of value.kind === 'list' ? value.items : [value]) {
      if (one.kind !== 'map') this.#report('KX2133', {}, key);
      else for (const [name, entry] of one.entries) if (!merged.has(name)) merged.set(name, entry);
    }
  }

  #value(value: unknown, key: Span, depth: number, aliased: boolean): Tree {
    const nothing: Scalar = {
      kind: 'scalar',
      at: { start: key.end, end: key.end },
      value: null,
      source: '',
      quoted: false,
    };
    return value === null || value === undefined ? nothing : this.#tree(value as Node, depth + 1, aliased);
  }

  #span(node: Node | null, otherwise: Span = { start: 0, end: 0 }): Span {
    const range = node?.range;
    if (range === null || range === undefined) return otherwise;
    return { start: this.#corrected.original(range[0]), end: this.#corrected.original(range[1]) };
  }

  #report<C extends ErrorCode>(code: C, params: ErrorParams<C>, at: Span, also?: Span): void {
    if (this.problems.length >= ENOUGH) return;
    this.problems.push(problem(code, params, this.#locate(at), also === undefined ? [] : [this.#locate(also)]));
  }

  #refuse<C extends ErrorCode>(code: C, params: ErrorParams<C>, at: Span): never {
    this.#report(code, params, at);
    throw new Refused();
  }
}

function scalar(node: Node, at: Span): Scalar {
  if (!isScalar(node)) return { kind: 'scalar', at, value: null, source: '', quoted: false };
  const { value } = node;
  const source = node.source ?? '';
  const quoted = node.type !== 'PLAIN';
  const known = typeof value === 'string' || typeof value === 'boolean' || value === null;
  // Numbers that JSON does not have stay as they were written.
  const plain = known || (typeof value === 'number' && Number.isFinite(value)) ? value : source;
  return { kind: 'scalar', at, value: plain as Scalar['value'], source, quoted };
}
