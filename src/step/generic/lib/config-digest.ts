import { createHash } from 'node:crypto';
import { canonical, isObject, type Json, type JsonObject, mergePatch } from '../../../model/json.ts';

/** Tells in a pod template what configuration its pods have read: with another one they are replaced, by their own kind of rollout. */
const ANNOTATION = 'kubexm.mensylisir.io/config';

/** Kinds that replace their pods when the template changes. That of a Job may never change. */
const ROLLED_OUT = ['DaemonSet', 'Deployment', 'StatefulSet'];

/** How a pod refers to a configuration, and of what kind that is. */
const REFERENCES: Readonly<Record<string, 'ConfigMap' | 'Secret'>> = {
  configMap: 'ConfigMap',
  configMapRef: 'ConfigMap',
  configMapKeyRef: 'ConfigMap',
  secret: 'Secret',
  secretRef: 'Secret',
  secretKeyRef: 'Secret',
};

/**
 * Objects in which every pod template tells the digest of the configuration that comes with it. Pods read theirs when they start:
 * without this a changed one would have no effect until somebody restarts them.
 */
export function withConfigDigests(objects: readonly JsonObject[]): readonly JsonObject[] {
  const configs = new Map(
    objects.filter(({ kind }) => kind === 'ConfigMap' || kind === 'Secret').map((one) => [nameOf(one), one] as const),
  );
  return objects.map((object) => {
    if (!ROLLED_OUT.includes(String(object['kind']))) return object;
    const { namespace } = metadataOf(object);
    const names = new Set(referencesIn(object['spec'] ?? null).map(({ kind, name }) => keyOf(kind, namespace, name)));
    const read = [...names]
      .toSorted()
      .map((name) => configs.get(name))
      .filter((one) => one !== undefined);
    if (read.length === 0) return object;
    const annotations = { [ANNOTATION]: digestOf(read) };
    return mergePatch(object, { spec: { template: { metadata: { annotations } } } }) as JsonObject;
  });
}

function digestOf(configs: readonly JsonObject[]): string {
  const contents = configs.map(({ data = null, binaryData = null, stringData = null }) => [
    data,
    binaryData,
    stringData,
  ]);
  return createHash('sha256').update(canonical(contents)).digest('hex');
}

/** Wherever it is: in a volume, a projected one, or the environment of a container. */
function referencesIn(value: Json): readonly { readonly kind: string; readonly name: Json | undefined }[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => referencesIn(item));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const kind = Object.hasOwn(REFERENCES, key) ? REFERENCES[key] : undefined;
    if (kind === undefined || !isObject(item)) return referencesIn(item);
    return [{ kind, name: item['secretName'] ?? item['name'] }];
  });
}

function nameOf(object: JsonObject): string {
  const { namespace, name } = metadataOf(object);
  return keyOf(String(object['kind']), namespace, name);
}

function keyOf(kind: string, namespace: Json | undefined, name: Json | undefined): string {
  return JSON.stringify([kind, namespace ?? null, name ?? null]);
}

function metadataOf(object: JsonObject): JsonObject {
  const { metadata } = object;
  return metadata !== undefined && isObject(metadata) ? metadata : {};
}
