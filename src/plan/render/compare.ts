import { canonical, type Json, type JsonObject } from '../../model/json.ts';
import { type Change, type Diff, textDiff } from '../diff.ts';

const LONGEST = 160;

/** What differs between two values, member by member, as changes from one to the other. */
export function compareJson(what: string, from: Json | undefined, to: Json | undefined): Diff {
  if (from === undefined && to === undefined) return [];
  if (from === undefined) return [{ what, to: valueText(to ?? null) }];
  if (to === undefined) return [{ what, from: valueText(from) }];
  if (canonical(from) === canonical(to)) return [];
  if (Array.isArray(from) && Array.isArray(to)) return compareLists(what, from, to);
  if (isObject(from) && isObject(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) => compareJson(`${what}.${name}`, from[name], to[name]));
  }
  if (typeof from === 'string' && typeof to === 'string' && `${from}${to}`.includes('\n'))
    return [{ what, text: textDiff(from, to) }];
  return [{ what, from: valueText(from), to: valueText(to) }];
}

function compareLists(what: string, from: readonly Json[], to: readonly Json[]): Diff {
  const length = Math.max(from.length, to.length);
  const places = Array.from({ length }, (_, i) => i);
  return places.flatMap((i): readonly Change[] => compareJson(`${what}[${i}]`, from[i], to[i]));
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueText(value: Json): string {
  const text = typeof value === 'string' ? value : canonical(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
