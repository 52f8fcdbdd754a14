import type { ErrorCode, ErrorParams, KubexmError } from '../model/errors/index.ts';
import { type ConfigSource, type Location, locationOf } from './source.ts';
import { spanAt } from './tree.ts';

/** Something wrong, or worth saying, about a configuration. */
export interface Problem {
  readonly code: ErrorCode;
  readonly params: Readonly<Record<string, string | number>>;
  readonly severity: 'error' | 'warning';
  readonly at: Location;
  /** Other places that belong to it, such as the first of two equal names. */
  readonly also?: readonly Location[];
}

const SHOWN = 80;

/** Makes a problem. What came from the file is shortened and its control characters made visible. */
export function problem<C extends ErrorCode>(
  code: C,
  params: ErrorParams<C>,
  at: Location,
  also: readonly Location[] = [],
): Problem {
  const shown = Object.fromEntries(
    Object.entries(params as Record<string, string | number>).map(([name, value]) => [
      name,
      typeof value === 'string' ? visible(value, name === 'known' || name === 'allowed' ? 400 : SHOWN) : value,
    ]),
  );
  const severity = code.startsWith('KX29') ? 'warning' : 'error';
  return { code, params: shown, severity, at, ...(also.length > 0 ? { also } : {}) };
}

/** An error as a problem of the file, at the field that it names. */
export function problemOf(error: KubexmError, source: ConfigSource): Problem {
  const path = [...String(error.params['field'] ?? 'spec').matchAll(/\[(\d+)\]|\["([^"]+)"\]|([^.[\]]+)/g)].map(
    ([, index, quoted, key]) => (index === undefined ? (quoted ?? key ?? '') : Number(index)),
  );
  return problem(error.code, error.params as never, locationOf(source, spanAt(source.tree, path)));
}

/** Text that a terminal shows and does not obey. */
export function visible(text: string, limit = Number.POSITIVE_INFINITY): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return cut
    .toWellFormed()
    .replace(/[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu, (char) => escapeOf(char));
}

/** A character by its number: `U+3000`. */
export function unicodeName(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function escapeOf(char: string): string {
  const named: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  return named[char] ?? `<${unicodeName(char)}>`;
}

const PER_CODE = 100;

/** In the order of the file, each once, at most a hundred of a kind. */
export function tidy(problems: readonly Problem[]): readonly Problem[] {
  const sorted = [...problems].sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column);
  const seen = new Set<string>();
  const counts = new Map<string, number>();
  const kept: Problem[] = [];
  for (const one of sorted) {
    const key = `${one.code} ${one.at.line}:${one.at.column} ${JSON.stringify(one.params)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const count = (counts.get(one.code) ?? 0) + 1;
    counts.set(one.code, count);
    if (count <= PER_CODE) kept.push(one);
  }
  for (const [code, count] of counts) {
    const last = kept.findLast((one) => one.code === code);
    if (count <= PER_CODE || last === undefined) continue;
    const more = problem('KX2099', { count: count - PER_CODE, code }, last.at);
    kept.push({ ...more, severity: last.severity });
  }
  return kept;
}

/** How many errors and warnings there are, those that are not shown included. */
export function countProblems(problems: readonly Problem[]): { readonly errors: number; readonly warnings: number } {
  const count = (severity: Problem['severity']): number =>
    problems
      .filter((one) => one.severity === severity)
      .reduce((sum, one) => sum + (one.code === 'KX2099' ? Number(one.params['count']) : 1), 0);
  return { errors: count('error'), warnings: count('warning') };
}
