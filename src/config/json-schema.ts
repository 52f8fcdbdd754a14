import { z } from 'zod';
import { documentSchema } from '../model/cluster/document.ts';
import { MOVES } from '../model/cluster/moves.ts';
import { fieldOf, itemOf, shapeOf, valuesOf } from './introspect.ts';

type Node = Record<string, unknown> & { properties?: Record<string, Node> };

/** JSON Schema of the configuration, for editors: descriptions, defaults, and the other spellings too. */
export function clusterJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(documentSchema, { io: 'input', unrepresentable: 'any' }) as Node;
  adapt(documentSchema, schema);
  for (const { from, to } of MOVES) addMoved(schema, from.split('.'), to.split('.'));
  const balancer = at(schema, ['spec', 'loadBalancer']);
  if (balancer?.properties !== undefined) {
    balancer.properties['mode'] = { type: 'string', enum: ['external', 'internal'], description: 'Which part holds.' };
  }
  return { ...schema, title: 'kubexm Cluster' };
}

/** Metadata of ours becomes what editors understand, from the leaves up. */
function adapt(schema: z.ZodType, node: Node): void {
  const { meta, fallback } = fieldOf(schema);
  const shape = shapeOf(schema);
  const item = itemOf(schema);
  const values = valuesOf(schema);
  for (const key of ['aliases', 'secret', 'oneOrMany', 'shorthand', 'canonical', 'free']) delete node[key];
  if (meta.secret === true) node['writeOnly'] = true;
  // The library leaves out defaults of values that are transformed.
  if (fallback !== undefined) node['default'] ??= structuredClone(fallback);
  if (item !== undefined) adapt(item, node['items'] as Node);
  if (values !== undefined && meta.free !== true) adapt(values, node['additionalProperties'] as Node);
  const properties = node.properties ?? {};
  for (const [key, child] of Object.entries(shape ?? {})) adapt(child, properties[key] ?? {});
  for (const [key, child] of Object.entries(shape ?? {})) {
    for (const other of fieldOf(child).meta.aliases ?? [])
      properties[other] = otherSpelling(properties[key] ?? {}, key);
  }
  if (meta.oneOrMany === true) alternatives(node, node['items'] as Node);
  if (meta.shorthand !== undefined) alternatives(node, properties[meta.shorthand] ?? { type: 'string' });
}

function otherSpelling(node: Node, of: string): Node {
  const { default: _default, ...rest } = structuredClone(node);
  return {
    ...rest,
    description: `Another spelling of ${of}. ${String(node['description'] ?? '')}`.trim(),
    deprecated: true,
  };
}

/** Moves a node's own form beside another one. */
function alternatives(node: Node, other: Node): void {
  const { description, default: fallback, ...own } = node;
  for (const key of Object.keys(own)) delete node[key];
  node['anyOf'] = [own, other];
  if (description !== undefined) node['description'] = description;
  if (fallback !== undefined) node['default'] = fallback;
}

function addMoved(schema: Node, from: readonly string[], to: readonly string[]): void {
  const target = at(schema, to);
  if (target === undefined) return;
  let here: Node | undefined = schema;
  for (const key of from.slice(0, -1)) {
    const properties: Record<string, Node> | undefined = objectOf(here)?.properties;
    if (properties === undefined) return;
    properties[key] ??= { type: 'object', properties: {}, additionalProperties: false, deprecated: true };
    here = properties[key];
  }
  const holder = objectOf(here);
  if (holder?.properties === undefined) return;
  const text = { type: 'string', description: 'Lines in the form of /etc/hosts.', deprecated: true };
  holder.properties[from.at(-1) ?? ''] = from.join('.') === 'spec.host' ? text : otherSpelling(target, to.join('.'));
}

function at(schema: Node, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((here, key) => objectOf(here)?.properties?.[key], schema);
}

/** The mapping form of a node that may also be written as text. */
function objectOf(node: Node | undefined): Node | undefined {
  if (node?.properties !== undefined) return node;
  return (node?.['anyOf'] as readonly Node[] | undefined)?.find((one) => one.properties !== undefined);
}
