import { parseVersion } from '../../model/catalog/version.ts';

/** What a template's placeholders stand for. */
export type Values = Readonly<Record<string, string>>;

const PLACEHOLDER = /\{([a-z][A-Za-z]*)\}/g;

/** The names in braces of a template such as `etcd-v{version}-linux-{arch}.tar.gz`. */
export function placeholders(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map((match) => match[1] ?? '');
}

/** The template with its placeholders filled. The checks of the catalog saw to it that all of them have a value. */
export function fill(template: string, values: Values): string {
  return template.replace(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);
}

/** Placeholders that every version has, and those of its own. */
export function versionValues(entry: { readonly version: string; readonly with: Values }): Values {
  const { major = 0, minor = 0, patch = 0 } = parseVersion(entry.version) ?? {};
  const numbers = { major: String(major), minor: String(minor), patch: String(patch) };
  return { ...entry.with, ...numbers, version: entry.version };
}
