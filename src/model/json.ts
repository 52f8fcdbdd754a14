/** What can be written as JSON and read back the same. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** JSON with sorted keys: equal values give equal text, so that it can be fingerprinted. */
export function canonical(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const object = value as JsonObject;
  const keys = Object.keys(object).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(object[key] ?? null)}`).join(',')}}`;
}

/** What comes of a list and the list in a patch. */
export type MergeLists = (before: Json | undefined, patch: readonly Json[]) => Json;

/** A value changed by a merge patch (RFC 7386): members are merged, what is null goes, lists are replaced by default. */
export function mergePatch(value: Json | undefined, patch: Json, lists?: MergeLists): Json {
  if (lists && Array.isArray(patch)) return lists(value, patch);
  if (!isObject(patch)) return patch;
  const before = value !== undefined && isObject(value) ? value : {};
  const kept = Object.entries(before).filter(([key]) => !Object.hasOwn(patch, key));
  const changed = Object.entries(patch).flatMap(([key, item]): [string, Json][] =>
    item === null ? [] : [[key, mergePatch(before[key], item, lists)]],
  );
  return Object.fromEntries([...kept, ...changed]);
}

/** Whether it has members. */
export function isObject(value: Json): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
