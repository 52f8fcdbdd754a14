import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { type Json, type JsonObject, mergePatch } from '../../../model/json.ts';
import type { Kept } from './kept.ts';
import { invalid } from './path.ts';

/** A change to one object of a manifest, as a merge patch: what is null goes, lists are replaced. */
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
      .reduce((one, { merge }) => mergePatch(one, merge) as JsonObject, object),
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
