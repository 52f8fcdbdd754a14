import { z } from 'zod';
import type { configErrors } from '../errors/config.ts';
import type { ErrorParams } from '../errors/index.ts';
import type { Json } from '../json.ts';
import { parseSecret, Secret } from './secret.ts';

/** A code of the configuration's part of the catalogue. */
export type ConfigCode = keyof typeof configErrors;

/** What the loader and the documentation know about a field beside its type. */
export interface FieldMeta {
  /** Other names under which the field is accepted. */
  readonly aliases?: readonly string[];
  /** The value must never be shown. */
  readonly secret?: true;
  /** A list that may be written as its only entry. */
  readonly oneOrMany?: true;
  /** A mapping that may be written as the text of this key. */
  readonly shorthand?: string;
  /** Values to name in messages, without their aliases. */
  readonly canonical?: readonly string[];
  /** Free content: not kubexm's to check. */
  readonly free?: true;
}

/** Marks a schema. Metadata belongs to one schema instance, so this comes last but for `describe`. */
export function marked<S extends z.ZodType>(schema: S, meta: FieldMeta): S {
  return schema.meta(meta as Record<string, unknown>);
}

/** Adds other accepted names to a field. */
export function alias<S extends z.ZodType>(schema: S, ...aliases: readonly string[]): S {
  return marked(schema, { aliases });
}

/** Refuses a value with a code of the catalogue. The field's name is added where the problem is located. */
export function refuse<C extends ConfigCode>(
  payload: { issues: unknown[]; value: unknown },
  code: C,
  params: Omit<ErrorParams<C>, 'field'>,
): void {
  payload.issues.push({ code: 'custom', input: payload.value, message: code, params: { ...params, code } });
}

/** A check of text by a predicate. */
export function textWhere<C extends ConfigCode>(test: (text: string) => boolean, code: C): z.ZodString {
  return line().check((payload) => {
    if (payload.value !== '' && !test(payload.value)) {
      refuse(payload, code, { value: payload.value } as unknown as Omit<ErrorParams<C>, 'field'>);
    }
  });
}

/** Text on one line, not empty. */
export function line(): z.ZodString {
  return z.string().check((payload) => {
    if (payload.value === '') refuse(payload, 'KX2216', {});
    else if (/[\p{Cc}\u2028\u2029]/u.test(payload.value)) refuse(payload, 'KX2326', { value: payload.value });
  });
}

/** Text of any number of lines. */
export function block(): z.ZodString {
  return z.string();
}

/** A whole number in a range. */
export function int(min: number, max: number): z.ZodInt {
  return z.int().min(min).max(max);
}

/** A TCP or UDP port. */
export function port(): z.ZodInt {
  return int(1, 65_535);
}

/** One of some words; others are accepted as spellings of them. */
export function choice<const V extends string>(values: readonly V[], others: Readonly<Record<string, V>> = {}) {
  const words = [...values, ...Object.keys(others)] as [string, ...string[]];
  const word = marked(z.enum(words), { canonical: values.filter((value) => value !== '') });
  return word.transform((text): V => (Object.hasOwn(others, text) ? others[text] : text) as V);
}

/** A secret: text, `env:NAME`, `file:/path` or `prompt`. */
export function secret() {
  const reference = z.string().transform((text, context): Secret => {
    if (text === '') refuse(context, 'KX2216', {});
    const parsed = parseSecret(text);
    if (parsed === undefined) refuse(context, 'KX2327', {});
    return parsed ?? new Secret('prompt', '', '');
  });
  return marked(reference, { secret: true });
}

/** A list, empty by default. */
export function list<S extends z.ZodType>(item: S) {
  return z.array(item).default([]);
}

/** A list that may be written as its only entry. */
export function oneOrMany<S extends z.ZodType>(item: S, max = 1000) {
  return marked(z.array(item).max(max), { oneOrMany: true });
}

/** A part of the document with fixed keys, which may be left out as a whole. */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).prefault({} as never);
}

/** Free content that is handed on: values of a chart, fields of another program's configuration. */
export function free() {
  const value = z.unknown() as unknown as z.ZodType<Json, Json>;
  return marked(z.record(z.string(), value).default({}), { free: true });
}
