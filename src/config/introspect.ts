import { z } from 'zod';
import { documentSchema } from '../model/cluster/document.ts';
import type { FieldMeta } from '../model/cluster/field.ts';

/** A schema without its wrappers, with all that they say. */
export interface Field {
  /** The schema of the value as it is written: of a pipe, its start. */
  readonly core: z.ZodType;
  readonly meta: FieldMeta & { readonly description?: string };
  readonly optional: boolean;
  /** What holds if the field is left out. */
  readonly fallback: unknown;
}

interface Def {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly defaultValue?: unknown;
}

function defOf(schema: z.ZodType): Def {
  return schema.def as unknown as Def;
}

/** Unwraps optional, default and transformed schemas. The outermost description wins. */
export function fieldOf(schema: z.ZodType): Field {
  const def = defOf(schema);
  const inner = def.innerType ?? (def.type === 'pipe' ? def.in : undefined);
  const own = (schema.meta() ?? {}) as Field['meta'];
  if (inner === undefined) return { core: schema, meta: own, optional: false, fallback: undefined };
  const below = fieldOf(inner);
  const wrapped = def.type === 'optional' || def.type === 'default' || def.type === 'prefault';
  return {
    core: below.core,
    meta: { ...below.meta, ...own },
    optional: wrapped || below.optional,
    fallback: def.type === 'default' || def.type === 'prefault' ? def.defaultValue : below.fallback,
  };
}

/** The keys of a mapping with fixed keys. */
export function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  const { core } = fieldOf(schema);
  return core instanceof z.ZodObject ? (core.shape as Record<string, z.ZodType>) : undefined;
}

/** The schema of the entries of a list. */
export function itemOf(schema: z.ZodType): z.ZodType | undefined {
  return defOf(fieldOf(schema).core).type === 'array' ? defOf(fieldOf(schema).core).element : undefined;
}

/** The schema of the values of a mapping with free keys. */
export function valuesOf(schema: z.ZodType): z.ZodType | undefined {
  return defOf(fieldOf(schema).core).type === 'record' ? defOf(fieldOf(schema).core).valueType : undefined;
}

/** The schema one step further down, for a key or an index. */
function childOf(schema: z.ZodType, part: string | number): z.ZodType | undefined {
  if (typeof part === 'number') return itemOf(schema);
  const shape = shapeOf(schema);
  if (shape !== undefined) return Object.hasOwn(shape, part) ? shape[part] : undefined;
  return valuesOf(schema);
}

/** The schema at a path of the document. */
export function schemaAt(path: readonly (string | number)[]): z.ZodType | undefined {
  return path.reduce<z.ZodType | undefined>((schema, part) => schema && childOf(schema, part), documentSchema);
}

/** Calls back for every field of a schema, parents first. */
export function eachField(schema: z.ZodType, visit: (path: readonly string[], schema: z.ZodType) => void): void {
  const walk = (here: z.ZodType, path: readonly string[]): void => {
    const shape = shapeOf(here);
    const inside = itemOf(here) ?? (fieldOf(here).meta.free === true ? undefined : valuesOf(here));
    for (const [key, child] of Object.entries(shape ?? {})) {
      visit([...path, key], child);
      walk(child, [...path, key]);
    }
    if (inside !== undefined) walk(inside, [...path, itemOf(here) === undefined ? '<name>' : '[]']);
  };
  walk(schema, []);
}

/** Every key that the document knows, aliases included. */
export function knownKeys(): ReadonlySet<string> {
  const keys = new Set<string>(['loadBalancer', 'mode', 'vip', 'external', 'internal', 'host', 'runtime', 'nodes']);
  eachField(documentSchema, (path, schema) => {
    keys.add(path.at(-1) ?? '');
    for (const other of fieldOf(schema).meta.aliases ?? []) keys.add(other);
  });
  return keys;
}
