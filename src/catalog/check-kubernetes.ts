import { inRange } from '../model/catalog/range.ts';
import type { Component } from '../model/catalog/schema.ts';

/** What is wrong with how a component fits the known versions of Kubernetes: gaps, overlaps, defaults that do not fit. */
export function checkAgainstKubernetes(component: Component, kubernetes: readonly string[]): string[] {
  const { kubernetes: rows, versions } = component;
  if (component.component === 'kubernetes' || versions.length === 0) {
    return rows.length === 0 ? [] : ['kubernetes: rows are for components with versions other than Kubernetes'];
  }
  const listed = new Set(versions.map((entry) => entry.version));
  const held = kubernetes.flatMap((version) => {
    const count = rows.filter((row) => inRange(version, row.range)).length;
    return count === 1 ? [] : [`kubernetes: ${count} rows are for ${version}`];
  });
  const idle = rows.filter((row) => !kubernetes.some((version) => inRange(version, row.range)));
  const first = (range: string): number => kubernetes.findIndex((version) => inRange(version, range));
  const order = rows.flatMap((row, i) => {
    const before = rows[i - 1];
    return before === undefined || first(before.range) < first(row.range)
      ? []
      : [`kubernetes: ${row.range} is too late`];
  });
  const defaults = rows.flatMap((row) => {
    const at = `kubernetes: ${row.range}: the default ${row.default}`;
    if (!listed.has(row.default)) return [`${at} is not in versions`];
    return inRange(row.default, row.accepts) ? [] : [`${at} is not in ${row.accepts}`];
  });
  return [...held, ...idle.map((row) => `kubernetes: ${row.range} holds no known version`), ...order, ...defaults];
}
