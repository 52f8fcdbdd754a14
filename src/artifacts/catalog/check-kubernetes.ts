import { inRange, within } from '../../model/catalog/range.ts';
import type { Component } from '../../model/catalog/schema.ts';

/** What is wrong with how a component fits the known versions of Kubernetes: gaps, overlaps, defaults that do not fit. */
export function checkAgainstKubernetes(component: Component, kubernetes: readonly string[]): string[] {
  const { kubernetes: rows, versions } = component;
  if (component.component === 'kubernetes' || versions.length === 0) {
    return rows.length === 0 ? [] : ['kubernetes: rows are for components with versions other than Kubernetes'];
  }
  const listed = new Set(versions.map((entry) => entry.version));
  // Which versions each row is for, as places in the list: there are thousands of pairs, so each is looked at once.
  const places = rows.map(({ range }) => {
    const holds = within(range);
    return new Set(kubernetes.flatMap((version, i) => (holds(version) ? [i] : [])));
  });
  const held = kubernetes.flatMap((version, i) => {
    const count = places.filter((one) => one.has(i)).length;
    return count === 1 ? [] : [`kubernetes: ${count} rows are for ${version}`];
  });
  const idle = rows.filter((_, i) => places[i]?.size === 0);
  const first = (row: number): number => places[row]?.values().next().value ?? -1;
  const order = rows.flatMap((row, i) =>
    i === 0 || first(i - 1) < first(i) ? [] : [`kubernetes: ${row.range} is too late`],
  );
  const defaults = rows.flatMap((row) => {
    const at = `kubernetes: ${row.range}: the default ${row.default}`;
    if (!listed.has(row.default)) return [`${at} is not in versions`];
    return inRange(row.default, row.accepts) ? [] : [`${at} is not in ${row.accepts}`];
  });
  return [...held, ...idle.map((row) => `kubernetes: ${row.range} holds no known version`), ...order, ...defaults];
}
