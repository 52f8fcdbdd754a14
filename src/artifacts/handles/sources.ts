import { resolve } from 'node:path';
import type { SourceSpec } from '../../model/artifact-lock.ts';
import type { Cluster } from '../../model/cluster/index.ts';
import { kubexmError } from '../../model/errors/index.ts';

type Env = Readonly<Record<string, string | undefined>>;

const BARE = ['upstream', 'zone', 'go'] as const;
const VALUED = { directory: 'path', bundle: 'path', mirror: 'url' } as const;

/**
 * The sources of a cluster's artifacts in the order they are asked: KUBEXM_SOURCES, else the configuration's, else the
 * projects themselves and, where they do not answer, builds from source; in a zone its mirrors come first.
 */
export function sourcesOf(cluster: Cluster, env: Env, zone: string, baseDir: string): readonly SourceSpec[] {
  const { sources } = cluster.spec.artifacts;
  const given = env['KUBEXM_SOURCES'];
  if (given !== undefined && given.trim() !== '')
    return given.split(',').map((word) => parseWord(word.trim(), baseDir));
  if (sources.length > 0) return sources.map((source, i) => checked(source, i, zone, baseDir));
  return [...(zone === '' ? [] : [{ type: 'zone' } as const]), { type: 'upstream' }, { type: 'go' }];
}

function parseWord(word: string, baseDir: string): SourceSpec {
  const bare = BARE.find((type) => type === word);
  if (bare !== undefined) return { type: bare };
  if (word === 'go=unverified') return { type: 'go', unverified: true };
  const [type = '', ...rest] = word.split('=');
  const value = rest.join('=');
  const field = Object.hasOwn(VALUED, type) ? VALUED[type as keyof typeof VALUED] : undefined;
  if (field === undefined) throw kubexmError('KX7020', { detail: `«${word}» is no source` });
  if (value === '') throw kubexmError('KX7020', { detail: `${type} has no ${field}` });
  if (field === 'url') return { type: 'mirror', url: value };
  return { type: type as 'directory' | 'bundle', path: resolve(baseDir, value) };
}

function checked(
  source: Cluster['spec']['artifacts']['sources'][number],
  index: number,
  zone: string,
  baseDir: string,
): SourceSpec {
  const { type, path, url, registry, caFile, plainHTTP, unverified, username, sha256, password } = source;
  const missing =
    (type === 'bundle' || type === 'directory') && path === undefined
      ? 'path'
      : type === 'mirror' && url === undefined
        ? 'url'
        : type === 'zone' && zone === ''
          ? 'zone'
          : undefined;
  if (missing !== undefined) throw kubexmError('KX7021', { type: `${type} [${index}]`, field: missing });
  return {
    type,
    ...(path === undefined ? {} : { path: resolve(baseDir, path) }),
    ...(url === undefined ? {} : { url }),
    ...(registry === undefined ? {} : { registry }),
    ...(caFile === undefined ? {} : { caFile: resolve(baseDir, caFile) }),
    ...(plainHTTP === undefined ? {} : { plainHTTP }),
    ...(unverified === undefined ? {} : { unverified }),
    ...(username === undefined ? {} : { username }),
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(password === undefined ? {} : { passwordField: password.at }),
  };
}

/** Sources as one text: what it depends on that an optional component is absent. */
export function sourcesText(sources: readonly SourceSpec[]): string {
  const words = ({ type, path, url, registry }: SourceSpec) => [type, path ?? url, registry].filter(Boolean).join('=');
  return sources.map(words).join(',');
}
