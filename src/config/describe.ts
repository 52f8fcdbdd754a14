import type { z } from 'zod';
import { documentSchema } from '../model/cluster/document.ts';
import { MOVES } from '../model/cluster/moves.ts';
import { eachField, fieldOf, itemOf, shapeOf, valuesOf } from './introspect.ts';

/** A field of the configuration, for its reference. */
export interface FieldDescription {
  /** `spec.hosts[].address`; `<name>` stands for a free key. */
  readonly path: string;
  readonly type: string;
  /** As YAML, undefined if there is none. */
  readonly default: string | undefined;
  readonly required: boolean;
  readonly secret: boolean;
  readonly description: string;
  /** Other paths and names that are accepted. */
  readonly aliases: readonly string[];
}

/** Every field of the configuration, parents before their children, in the order of the document. */
export function describeSchema(): readonly FieldDescription[] {
  const fields: FieldDescription[] = [];
  eachField(documentSchema, (parts, schema) => {
    const path = parts.join('.').replaceAll('.[]', '[]');
    const { meta, optional, fallback } = fieldOf(schema);
    const moved = MOVES.filter((one) => one.to === path).map((one) => one.from);
    fields.push({
      path,
      type: typeOf(schema),
      default: defaultOf(schema, fallback),
      required: !optional,
      secret: meta.secret === true,
      description: meta.description ?? '',
      aliases: [...(meta.aliases ?? []), ...moved],
    });
  });
  return fields;
}

function defaultOf(schema: z.ZodType, fallback: unknown): string | undefined {
  const empty = fallback !== null && typeof fallback === 'object' && Object.keys(fallback).length === 0;
  if (fallback === undefined || (empty && shapeOf(schema) !== undefined)) return undefined;
  return JSON.stringify(fallback);
}

function typeOf(schema: z.ZodType): string {
  const { core, meta } = fieldOf(schema);
  if (meta.secret === true) return 'secret';
  if (meta.canonical !== undefined) return [...meta.canonical, ...(acceptsEmpty(core) ? ['""'] : [])].join(' | ');
  const item = itemOf(schema);
  if (item !== undefined) return `list of ${typeOf(item)}`;
  if (meta.free === true) return 'any mapping';
  const values = valuesOf(schema);
  if (values !== undefined) return `mapping of ${typeOf(values)}`;
  if (shapeOf(schema) !== undefined) return 'mapping';
  return { string: 'text', number: 'integer', boolean: 'boolean' }[core.type as string] ?? 'any';
}

function acceptsEmpty(core: z.ZodType): boolean {
  const { options } = core as unknown as { options?: readonly string[] };
  return options?.includes('') === true;
}
