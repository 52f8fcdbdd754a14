import { canonical, type Json } from '../model/json.ts';
import { MASK } from '../model/text/mask.ts';

/** Identifies a node from the moment it is made, before it has its final id. */
export interface NodeKey {
  readonly name: string;
}

/** Which of a producer's hosts a value comes from: the consumer's own, a named one, or all of them by name. */
export type RefSource =
  | { readonly from: 'same' }
  | { readonly from: 'host'; readonly host: string }
  | { readonly from: 'all' };

const marker: unique symbol = Symbol('kubexm.ref');

/** A typed handle to what a node will produce. Passing it as an input draws the edge. */
export interface Ref<T> {
  readonly [marker]: true;
  readonly key: NodeKey;
  readonly source: RefSource;
  /** A minted value: made just before use, never stored. */
  readonly secret: boolean;
  /** A member of the produced value. */
  readonly path: readonly string[];
  readonly type?: T;
}

/** A value in which any part may be a Ref. */
export type Wanted<T> =
  | Ref<T>
  | (T extends string | number | boolean | null | undefined
      ? T
      : T extends readonly (infer U)[]
        ? readonly Wanted<U>[]
        : T extends object
          ? { readonly [K in keyof T]: Wanted<T[K]> }
          : T);

/** Makes a Ref; only `on` and `member` do. */
export function makeRef<T>(key: NodeKey, source: RefSource, secret: boolean, path: readonly string[] = []): Ref<T> {
  return { [marker]: true, key, source, secret, path };
}

/** A Ref to one member of a produced object. */
export function member<T, K extends keyof T & string>(ref: Ref<T>, name: K): Ref<T[K]> {
  return makeRef<T[K]>(ref.key, ref.source, ref.secret, [...ref.path, name]);
}

/** Whether a value is a Ref. */
export function isRef(value: unknown): value is Ref<unknown> {
  return typeof value === 'object' && value !== null && marker in value;
}

/** All Refs inside a want. */
export function refsIn(value: unknown): readonly Ref<unknown>[] {
  if (isRef(value)) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(refsIn);
}

/** A want with each Ref replaced. A value without Refs is returned as it is, so that hosts go on sharing it. */
export function resolveRefs(value: unknown, lookup: (ref: Ref<unknown>) => unknown): unknown {
  if (isRef(value)) {
    const found = lookup(value);
    return found === masked(value) ? found : pick(found, value.path);
  }
  if (typeof value !== 'object' || value === null || refsIn(value).length === 0) return value;
  if (Array.isArray(value)) return value.map((item) => resolveRefs(item, lookup));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolveRefs(item, lookup)]));
}

/** How a Ref is written in a saved plan. */
export function refText(ref: Ref<unknown>, id: (key: NodeKey) => string): string {
  const where = ref.source.from === 'same' ? '' : ref.source.from === 'all' ? '@*' : `@${ref.source.host}`;
  const path = ref.path.map((name) => `.${name}`).join('');
  return `${ref.secret ? 'secret ' : ''}${id(ref.key)}${where}${path}`;
}

/** A want as plain JSON, Refs written as `{"$ref": …}`. An object that itself has such a member is wrapped as `$literal`. */
export function wantJson(value: unknown, id: (key: NodeKey) => string): Json {
  if (isRef(value)) return { $ref: refText(value, id) };
  if (value === undefined) return null;
  if (typeof value !== 'object' || value === null) return value as Json;
  if (Array.isArray(value)) return value.map((item) => wantJson(item, id));
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const object = Object.fromEntries(entries.map(([name, item]) => [name, wantJson(item, id)]));
  return '$ref' in object || '$literal' in object ? { $literal: object } : object;
}

/** The text an input fingerprint is made of: minted values never enter it. */
export function fingerprintText(want: unknown): string {
  return canonical(wantJson(want, (key) => key.name));
}

/** What stands for a value that is not known yet, or must not be shown. */
export function masked(ref: Ref<unknown>): string {
  return ref.secret ? MASK : `‹${[ref.key.name, ...ref.path].join('.')}›`;
}

function pick(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    current = typeof current === 'object' && current !== null ? (current as Record<string, unknown>)[name] : undefined;
  }
  return current;
}
