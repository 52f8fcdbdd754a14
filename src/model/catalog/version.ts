/** A version as projects write it: two or three numbers, perhaps a suffix, never a leading `v`. */
const VERSION = /^(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?:-([0-9A-Za-z][0-9A-Za-z.-]*))?$/;

/** The numbers of a version, and what stands behind the hyphen. */
export interface VersionParts {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly suffix: string;
}

/** Reads a version, with or without a leading `v`; undefined if it is none. */
export function parseVersion(text: string): VersionParts | undefined {
  const match = VERSION.exec(plainVersion(text));
  if (match === null) return undefined;
  const [, major, minor, patch = '0', suffix = ''] = match;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), suffix };
}

/** The version without the `v` that some projects and people write. */
export function plainVersion(text: string): string {
  return text.replace(/^v/, '');
}

/** Orders versions by their numbers; one with a suffix (`-rc.1`) comes before the same without. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [parseVersion(a), parseVersion(b)];
  if (one === undefined || other === undefined) return a < b ? -1 : a > b ? 1 : 0;
  const numbers = one.major - other.major || one.minor - other.minor || one.patch - other.patch;
  if (numbers !== 0) return numbers;
  return compareSuffixes(one.suffix, other.suffix);
}

function compareSuffixes(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '' || b === '') return a === '' ? 1 : -1;
  const others = b.split('.');
  for (const [i, part] of a.split('.').entries()) {
    const other = others[i];
    if (other === undefined) return 1;
    const numeric = /^\d+$/.test(part) && /^\d+$/.test(other);
    const order = numeric ? Number(part) - Number(other) : part < other ? -1 : part > other ? 1 : 0;
    if (order !== 0) return order;
  }
  return -1;
}
