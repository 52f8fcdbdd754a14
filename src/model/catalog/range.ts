import { compareVersions, parseVersion } from './version.ts';

interface Bound {
  readonly operator: '>=' | '>' | '<=' | '<' | '=';
  readonly version: string;
}

/** Versions between bounds: `>=1.30 <1.34 || >=1.35.2`, or `*` for all. */
export type VersionRange = readonly (readonly Bound[])[];

/** Reads a range; undefined if it is none. */
export function parseRange(text: string): VersionRange | undefined {
  if (text.trim() === '*') return [[]];
  const parts = text.split('||').map((part) => part.trim().split(/\s+/).map(parseBound));
  return parts.every((bounds) => bounds.every((bound) => bound !== undefined)) ? (parts as Bound[][]) : undefined;
}

function parseBound(text: string): Bound | undefined {
  const match = /^(>=|<=|>|<|=)(\d.*)$/.exec(text);
  if (match === null) return undefined;
  const [, operator, version = ''] = match;
  return parseVersion(version) && { operator: operator as Bound['operator'], version };
}

/** Whether a version lies in a range. A text that is no range holds nothing. */
export function inRange(version: string, range: string): boolean {
  return within(range)(version);
}

/** The same for many versions: the range is read once. */
export function within(range: string): (version: string) => boolean {
  const parts = parseRange(range) ?? [];
  return (version) => parts.some((bounds) => bounds.every((bound) => isWithin(version, bound)));
}

function isWithin(version: string, { operator, version: edge }: Bound): boolean {
  const order = compareVersions(version, edge);
  if (operator === '=') return order === 0;
  if (operator.startsWith('>')) return order > 0 || (order === 0 && operator === '>=');
  return order < 0 || (order === 0 && operator === '<=');
}
