import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { isObject, type Json, type JsonObject, mergePatch } from '../../../model/json.ts';
import type { Kept } from './kept.ts';
import { invalid } from './path.ts';

/**
 * A change to one object of a manifest, as a merge patch: what is null goes; in lists of things with a name each goes to its like,
 * one with `$patch: delete` takes it away; other lists are replaced.
 */
export interface ObjectPatch {
  readonly kind: string;
  readonly name: string;
  readonly merge: JsonObject;
}

/** A manifest of a project on this machine, and what a cluster changes in it. */
export interface Manifest {
  readonly source: Kept;
  /** Images by their names in the manifest, without tags, and how the cluster names them, with tags. */
  readonly images: Readonly<Record<string, string>>;
  readonly patches: readonly ObjectPatch[];
}

/** The objects of a manifest as the cluster wants them. A patch that finds nothing to change is a defect. */
export function patchedManifest({ source, images, patches }: Manifest): readonly JsonObject[] {
  const objects = parseAllDocuments(readFileSync(source.path, 'utf8')).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw invalid(`${source.path} is no YAML: ${error.message}`);
    const value = document.toJS() as JsonObject | null;
    return value === null ? [] : [withImages(value, images) as JsonObject];
  });
  const missing = patches.find((patch) => !objects.some((object) => matches(object, patch)));
  if (missing !== undefined) throw invalid(`${source.path} has no ${missing.kind} ${missing.name} to change`);
  return objects.map((object) =>
    patches
      .filter((patch) => matches(object, patch))
      .reduce((one, { merge }) => mergePatch(one, merge, byName) as JsonObject, object),
  );
}

function matches(object: JsonObject, { kind, name }: ObjectPatch): boolean {
  return object['kind'] === kind && (object['metadata'] as JsonObject | undefined)?.['name'] === name;
}

/** Every `image:` of pods, whatever the kind of object that makes them. */
function withImages(value: Json, images: Readonly<Record<string, string>>): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: Json) => withImages(item, images));
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, item]) => {
      const known = key === 'image' && typeof item === 'string' ? images[item.replace(/[:@][^/]*$/, '')] : undefined;
      return [key, known ?? withImages(item, images)];
    }),
  );
}

/** Lists of things with names: each goes to its like, or to the end. Others are replaced. */
function byName(value: Json | undefined, patch: readonly Json[]): Json {
  if (patch.length === 0 || patch.some((item) => keyOf(item) === undefined)) return patch;
  const before = Array.isArray(value) ? (value as readonly Json[]) : [];
  const changes = new Map(patch.map((item) => [keyOf(item), item]));
  const known = new Set(before.map(keyOf));
  return [...before, ...patch.filter((item) => !known.has(keyOf(item)))].flatMap((item): readonly Json[] => {
    const change = changes.get(keyOf(item));
    if (change === undefined) return [item];
    return isObject(change) && change['$patch'] === 'delete' ? [] : [mergePatch(item, change, byName)];
  });
}

/** By what Kubernetes tells the things of a list apart: a mount by its place, everything else by its name. */
function keyOf(item: Json): string | undefined {
  const key = isObject(item) ? (item['mountPath'] ?? item['name']) : undefined;
  return typeof key === 'string' ? key : undefined;
}
