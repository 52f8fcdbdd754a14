import type { Catalog, Component } from '../../model/catalog/schema.ts';
import { nearest } from '../../model/cluster/nearest.ts';
import { kubexmError } from '../../model/errors/index.ts';

/** A component of the catalog by name. */
export function findComponent(catalog: Catalog, name: string): Component {
  const component = catalog.components.get(name);
  if (component !== undefined) return component;
  const names = [...catalog.components.keys()].sort();
  const suggestion = nearest(name, names) ?? names[0] ?? '-';
  throw kubexmError('KX7008', { component: name, suggestion, known: names.join(', ') });
}
