import type { Path } from './tree.ts';

/** Fields by their path: see `unsupportedFields`. */
export interface Pattern {
  readonly parts: readonly string[];
  /** Ends in `**`: everything below. */
  readonly deep: boolean;
  readonly values: readonly string[] | undefined;
}

/** Reads a pattern. */
export function parsePattern(text: string): Pattern {
  const [path = '', values] = text.split('=');
  const parts = path.replaceAll('[]', '.*').split('.').filter(Boolean);
  const deep = parts.at(-1) === '**';
  return { parts: deep ? parts.slice(0, -1) : parts, deep, values: values?.split('|') };
}

/** Whether a pattern names exactly this path. */
export function reaches(pattern: Pattern, path: Path): boolean {
  return path.length === pattern.parts.length && leads(pattern.parts, path);
}

/** Whether something below this path may be named. */
export function leadsTo(pattern: Pattern, path: Path): boolean {
  return path.length < 2 || (pattern.parts.length > path.length && leads(pattern.parts, path));
}

/** Whether pattern and path agree as far as both go. */
export function leads(parts: readonly string[], path: Path): boolean {
  const length = Math.min(parts.length, path.length);
  for (let i = 0; i < length; i += 1) if (parts[i] !== '*' && parts[i] !== String(path[i])) return false;
  return true;
}
