import type { z } from 'zod';
import { MOVES } from '../model/cluster/moves.ts';
import { nearest } from '../model/cluster/nearest.ts';
import type { ErrorCode } from '../model/errors/index.ts';
import { MASK } from '../model/text/mask.ts';
import type { Report } from './coerce.ts';
import { fieldOf, schemaAt, shapeOf } from './introspect.ts';
import { entryAt, formatPath, type Path, type Scalar, spanAt, type Tree, valueAt } from './tree.ts';

/** Issues that are reported, so that all of them are counted; a hundred of a kind are shown. */
const ENOUGH = 20_000;

/** What the schema library says about a value, as far as it is used. */
export interface Issue {
  readonly code: string;
  readonly path: Path;
  readonly expected?: string;
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
  readonly origin?: string;
  readonly maximum?: number;
  readonly params?: { readonly code: ErrorCode } & Readonly<Record<string, string | number>>;
  readonly issues?: readonly Issue[];
}

/**
 * Turns issues into problems of the catalogue, at their places. A key that was only misspelt is not missing as well:
 * gives the paths of the keys that were meant.
 */
export function reportIssues(issues: readonly Issue[], tree: Tree, report: Report): readonly Path[] {
  const unknown = issues
    .filter((issue) => issue.code === 'unrecognized_keys')
    .flatMap((issue) => (issue.keys ?? []).map((key) => ({ key, path: issue.path })));
  const suggest = suggestions();
  const meant = unknown.slice(0, ENOUGH).flatMap(({ key, path }) => unknownKey(key, path, tree, report, suggest));
  const known = new Set(meant.map(formatPath));
  const others = issues.filter((issue) => issue.code !== 'unrecognized_keys').slice(0, ENOUGH);
  for (const issue of others) if (!known.has(formatPath(issue.path))) reportIssue(issue, tree, report);
  return meant;
}

function reportIssue(issue: Issue, tree: Tree, report: Report): void {
  const at = spanAt(tree, issue.path);
  const field = writtenPath(tree, issue.path);
  const value = shown(tree, issue.path);
  const type = issue.code === 'invalid_type' ? issue.expected : undefined;
  if (issue.code === 'custom' && issue.params !== undefined) custom(issue.params, issue.path, tree, report);
  else if (issue.code === 'invalid_key') for (const one of issue.issues ?? []) badKey(one, issue.path, tree, report);
  else if (isMissing(tree, issue.path)) report('KX2203', { field }, at);
  else if (issue.code === 'invalid_value') badChoice(issue, tree, report);
  else if (type === 'string') {
    if (valueAt(tree, issue.path)?.kind !== 'scalar') report('KX2215', { field }, at);
    else if (!refusedAsText(issue.path, tree, report)) report('KX2204', { field, value }, at);
  } else if (isOnlyQuoted(issue.path, tree, type)) report('KX2217', { field, value }, at);
  else if (type === 'boolean') report('KX2205', { field, value }, at);
  else if (type === 'number' || type === 'int') report('KX2206', { field, value }, at);
  else if (type === 'array') report('KX2208', { field }, at);
  else if (type !== undefined) report('KX2209', { field }, at);
  else if (issue.origin === 'array' && issue.maximum === undefined) report('KX2216', { field }, at);
  else if (issue.origin === 'array') {
    const list = valueAt(tree, issue.path);
    const count = list?.kind === 'list' ? list.items.length : 0;
    report('KX2213', { field, value: count, min: 0, max: issue.maximum ?? 0 }, at);
  } else report('KX2213', { field, value, ...limits(issue.path) }, at);
}

/** Quotes alone do not help where the text is wrong too, as in `version: 1.34`: says what is wrong with it then. */
function refusedAsText(path: Path, tree: Tree, report: Report): boolean {
  const value = valueAt(tree, path);
  const result = value?.kind === 'scalar' ? schemaAt(path)?.safeParse(text(value)) : undefined;
  const [first] = (result?.error?.issues ?? []) as readonly Issue[];
  if (first?.code !== 'custom' || first.params === undefined) return false;
  custom(first.params, path, tree, report);
  return true;
}

/** Whether a number or a switch would be right without its quotes. */
function isOnlyQuoted(path: Path, tree: Tree, type: string | undefined): boolean {
  const value = valueAt(tree, path);
  if (value?.kind !== 'scalar' || !value.quoted || isSecret(path)) return false;
  if (type === 'boolean') return value.value === 'true' || value.value === 'false';
  return (type === 'number' || type === 'int') && /^-?(0|[1-9]\d*)$/.test(String(value.value));
}

/** The path as the user wrote it, with aliases. */
export function writtenPath(tree: Tree, path: Path): string {
  let text: Path = [];
  path.forEach((part, i) => {
    const written = entryAt(tree, path.slice(0, i + 1))?.written;
    if (written?.includes('.')) text = written.split('.');
    else text = [...text, written ?? part];
  });
  return formatPath(text) || 'Cluster';
}

function custom(params: NonNullable<Issue['params']>, path: Path, tree: Tree, report: Report): void {
  const { code, ...rest } = params;
  const masked = isSecret(path) && 'value' in rest ? { ...rest, value: MASK } : rest;
  report(code, { ...masked, field: writtenPath(tree, path) } as never, spanAt(tree, path));
}

function badKey(issue: Issue, path: Path, tree: Tree, report: Report): void {
  if (issue.params === undefined) return;
  const { code, ...rest } = issue.params;
  const key = entryAt(tree, path)?.key ?? spanAt(tree, path);
  report(code, { ...rest, field: writtenPath(tree, path.slice(0, -1)) } as never, key);
}

/** The next keys of old places below a path. */
function oldKeys(path: Path): readonly string[] {
  const keys = MOVES.flatMap(({ from }) => {
    const parts = from.split('.');
    const leads = parts.length > path.length && path.every((part, i) => part === parts[i]);
    return leads ? [parts[path.length] ?? ''] : [];
  });
  return [...new Set(keys)];
}

type Suggest = (key: string, names: readonly string[]) => string | undefined;

/** The name that was probably meant. 5,000 hosts with the same slip are looked at once, and nobody reads the thousandth slip. */
function suggestions(): Suggest {
  const known = new Map<string, string | undefined>();
  return (key, names) => {
    const question = `${key} ${names[0]} ${names.length}`;
    if (!known.has(question)) {
      if (known.size >= MAX_SUGGESTIONS) return undefined;
      known.set(question, nearest(key, names) ?? elsewhere(key));
    }
    return known.get(question);
  };
}
const MAX_SUGGESTIONS = 1000;

/** Says that a key is unknown; gives the paths of the keys that were meant. */
function unknownKey(key: string, path: Path, tree: Tree, report: Report, suggest: Suggest): readonly Path[] {
  const inside = [...path, key];
  const value = valueAt(tree, inside);
  // What was right in an old place has been moved; only the rest of it is unknown.
  if (schemaAt(inside) === undefined && oldKeys(inside).length > 0) {
    if (value?.kind === 'map') {
      return [...value.entries.keys()].flatMap((child) => unknownKey(child, inside, tree, report, suggest));
    }
    report('KX2209', { field: formatPath(inside) }, spanAt(tree, inside));
    return [];
  }
  const where = writtenPath(tree, path);
  const at = entryAt(tree, [...path, key])?.key ?? spanAt(tree, path);
  const schema = schemaAt(path);
  const shape = (schema && shapeOf(schema)) ?? {};
  const aliases = Object.values(shape).flatMap((one) => fieldOf(one).meta.aliases ?? []);
  const moved = oldKeys(path);
  const suggestion = suggest(key, [...Object.keys(shape), ...aliases, ...moved]);
  if (suggestion === undefined || suggestion === key) {
    report('KX2202', { key, where, known: Object.keys(shape).join(', ') || moved.join(', ') }, at);
    return [];
  }
  report('KX2201', { key, where, suggestion }, at);
  return [suggestion.includes('.') ? suggestion.split('.') : [...path, canonicalKey(shape, suggestion)]];
}

function canonicalKey(shape: Readonly<Record<string, z.ZodType>>, name: string): string {
  const owner = Object.entries(shape).find(([, child]) => fieldOf(child).meta.aliases?.includes(name));
  return owner?.[0] ?? name;
}

/** A key that is right but stands in the wrong place, usually by its indentation. */
function elsewhere(key: string): string | undefined {
  const sections = ['spec', 'metadata', ...Object.keys(shapeOf(schemaAt(['spec']) as never) ?? {})];
  for (const section of sections) {
    const path = section === 'spec' || section === 'metadata' ? [section] : ['spec', section];
    const schema = schemaAt(path);
    if (schema !== undefined && Object.hasOwn(shapeOf(schema) ?? {}, key)) return formatPath([...path, key]);
  }
  return undefined;
}

function badChoice(issue: Issue, tree: Tree, report: Report): void {
  const at = spanAt(tree, issue.path);
  const field = writtenPath(tree, issue.path);
  const value = shown(tree, issue.path);
  const schema = schemaAt(issue.path);
  const all = (issue.values ?? []).map(String);
  const canonical = (schema && fieldOf(schema).meta.canonical) ?? all;
  const allowed = [...canonical.filter(Boolean), ...(all.includes('') ? ['""'] : [])].join(', ');
  const several = value.split(/[|,/]|\bor\b/).map((word) => word.trim());
  const suggestion = nearest(value, all.filter(Boolean));
  if (several.length > 1 && several.every((word) => word !== '' && all.includes(word))) {
    report('KX2212', { field, value, allowed }, at);
  } else if (suggestion !== undefined) report('KX2211', { field, value, suggestion, allowed }, at);
  else report('KX2210', { field, value, allowed }, at);
}

function limits(path: Path): { min: number; max: number } {
  const schema = schemaAt(path);
  const core = schema && (fieldOf(schema).core as unknown as { minValue?: number; maxValue?: number });
  return { min: core?.minValue ?? 0, max: core?.maxValue ?? Number.MAX_SAFE_INTEGER };
}

function isMissing(tree: Tree, path: Path): boolean {
  return valueAt(tree, path) === undefined || entryAt(tree, path)?.unset === true;
}

function isSecret(path: Path): boolean {
  const schema = schemaAt(path);
  return schema !== undefined && fieldOf(schema).meta.secret === true;
}

/** A value as it stands in the file; never a secret. */
function shown(tree: Tree, path: Path): string {
  if (isSecret(path)) return MASK;
  const value = valueAt(tree, path);
  if (value?.kind === 'scalar') return text(value);
  return value?.kind === 'list' ? '[…]' : '{…}';
}

function text(value: Scalar): string {
  return value.quoted || value.source === '' ? String(value.value) : value.source;
}
