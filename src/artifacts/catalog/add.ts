import { isMap, isScalar, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { inRange } from '../../model/catalog/range.ts';
import type { Component } from '../../model/catalog/schema.ts';
import { compareVersions, parseVersion, plainVersion } from '../../model/catalog/version.ts';
import { kubexmError } from '../../model/errors/index.ts';
import { parseComponent } from './parse.ts';

/** What to add to a component's file. */
export interface Addition {
  readonly version: string;
  /** What the version comes with, such as the tag of another image. */
  readonly with?: Readonly<Record<string, string>>;
  /** Makes it the default of the rows of these minors of Kubernetes, such as 1.36. */
  readonly defaultFor?: readonly string[];
}

/** The text of a component's file with one more version, in its place; the rest of the text stays as it is. */
export function addVersion(file: string, text: string, addition: Addition): string {
  const component = parseComponent(file, text);
  const version = plainVersion(addition.version);
  const refuse = (reason: string) => kubexmError('KX7009', { version, component: component.component, reason });
  if (parseVersion(version) === undefined) throw refuse('it is no version');
  if (component.versions.some((one) => compareVersions(one.version, version) === 0))
    throw refuse('it is there already');
  const missing = missingKeys(component, addition.with ?? {});
  if (missing.length > 0) throw refuse(`it needs ${missing.map((key) => `${key}=…`).join(', ')}`);

  const longer = insertLine(text, component, lineOf(version, addition.with ?? {}));
  if (longer === undefined) throw refuse('its versions are not written one to a line');
  const added = (addition.defaultFor ?? []).reduce((current, minor) => {
    const changed = setDefault(current, minor, version);
    if (typeof changed === 'string') return changed;
    throw refuse(changed.reason);
  }, longer);
  parseComponent(file, added);
  return added;
}

/** Every version comes with the same things as the newest one. */
function missingKeys(component: Component, given: Readonly<Record<string, string>>): string[] {
  return Object.keys(component.versions.at(-1)?.with ?? {}).filter((key) => given[key] === undefined);
}

function lineOf(version: string, given: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(given).map(([key, value]) => `${key}: ${scalar(value)}`);
  return pairs.length === 0
    ? `  - ${scalar(version)}\n`
    : `  - { version: ${scalar(version)}, with: { ${pairs.join(', ')} } }\n`;
}

/** Text that YAML would read as a number, or that has signs of its own, is put in quotes. */
function scalar(value: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value) && Number.isNaN(Number(value)) ? value : JSON.stringify(value);
}

function insertLine(text: string, component: Component, line: string): string | undefined {
  const versions = sequence(text, 'versions');
  if (versions === undefined) return undefined;
  const added = /\d+\.\d+(?:\.\d+)?(?:-[0-9A-Za-z.-]+)?/.exec(line)?.[0] ?? '';
  const index = component.versions.findIndex((one) => compareVersions(one.version, added) > 0);
  const at = index === -1 ? versions.items.at(-1) : versions.items[index];
  const range = isScalar(at) || isMap(at) ? at.range : undefined;
  if (range === undefined || range === null) return undefined;
  const start = text.lastIndexOf('\n', range[0]) + 1;
  if (!/^ {2}- /.test(text.slice(start))) return undefined;
  if (index !== -1) return text.slice(0, start) + line + text.slice(start);
  const end = text.indexOf('\n', range[1] - 1) + 1;
  return end === 0 ? `${text}\n${line}` : text.slice(0, end) + line + text.slice(end);
}

/** Changes the default of the rows of a minor; a row for other minors too cannot be changed without them. */
function setDefault(text: string, minor: string, version: string): string | { readonly reason: string } {
  const rows = sequence(text, 'kubernetes')?.items.filter(isMap) ?? [];
  const last = rows.filter((row) => isLastOf(rangeOf(row), minor)).at(-1);
  if (last === undefined) return { reason: `no row ends with Kubernetes ${minor}` };
  if (!isWithinMinor(rangeOf(last), minor)) {
    return { reason: `the row ${rangeOf(last)} is for more than Kubernetes ${minor}: divide it first` };
  }
  const value = last.get('default', true);
  if (!isScalar(value) || value.range === undefined || value.range === null) return { reason: 'a row has no default' };
  return text.slice(0, value.range[0]) + JSON.stringify(version) + text.slice(value.range[1]);
}

const LATE_PATCH = 999_999;

function isLastOf(range: string, minor: string): boolean {
  return inRange(`${minor}.${LATE_PATCH}`, range);
}

function isWithinMinor(range: string, minor: string): boolean {
  const { major = 0, minor: number = 0 } = parseVersion(minor) ?? {};
  return !inRange(`${major}.${number - 1}.${LATE_PATCH}`, range) && !inRange(`${major}.${number + 1}.0`, range);
}

function rangeOf(row: YAMLMap): string {
  return String(row.get('range') ?? '');
}

function sequence(text: string, key: string): YAMLSeq | undefined {
  const { contents } = parseDocument(text);
  const found = isMap(contents) ? contents.get(key, true) : undefined;
  return isSeq(found) ? found : undefined;
}
