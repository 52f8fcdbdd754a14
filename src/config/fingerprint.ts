import { createHash } from 'node:crypto';
import type { Cluster } from '../model/cluster/cluster.ts';
import { Secret } from '../model/cluster/secret.ts';
import { canonical, type Json } from '../model/json.ts';

/** sha256 of a configuration. It does not change with secrets, comments, order of keys or spelling. */
export function configFingerprint(cluster: Cluster): string {
  return createHash('sha256')
    .update(canonical(withoutSecrets(cluster)))
    .digest('hex');
}

/** Plain JSON in which nothing of a secret is left, not even where it comes from. */
function withoutSecrets(value: unknown): Json {
  if (value instanceof Secret) return 'secret';
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (value === null || typeof value !== 'object') return (value ?? null) as Json;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutSecrets(inner)]));
}
