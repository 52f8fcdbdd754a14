import type { Json, JsonObject } from '../../../model/json.ts';
import { invalid } from './path.ts';

/** An object as TOML 1.0: plain values first, then tables, in the order given. */
export function tomlText(value: JsonObject): string {
  return `${table(value, []).join('\n').trim()}\n`;
}

function table(value: JsonObject, path: readonly string[]): readonly string[] {
  const entries = Object.entries(value);
  const plain = entries.filter(([, item]) => !isTable(item) && !isTableList(item));
  const out = plain.map(([key, item]) => `${name(key)} = ${inline(item)}`);
  for (const [key, item] of entries) {
    const at = [...path, key];
    const title = at.map(name).join('.');
    if (isTable(item)) out.push('', `[${title}]`, ...table(item, at));
    else if (isTableList(item)) for (const one of item) out.push('', `[[${title}]]`, ...table(one, at));
  }
  return out;
}

function inline(value: Json): string {
  if (value === null) throw invalid('TOML has no null');
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw invalid('a number in TOML is not finite');
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  const pairs = Object.entries(value as JsonObject).map(([key, item]) => `${name(key)} = ${inline(item)}`);
  return `{ ${pairs.join(', ')} }`;
}

function name(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : quoted(key);
}

function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

function isTable(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTableList(value: Json): value is readonly JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isTable);
}
