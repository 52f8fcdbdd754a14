import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** One file that a machine asked for. */
export interface Wanted {
  /** Where the box gets it. */
  readonly uri: string;
  /** Where it is kept, below the cache. */
  readonly file: string;
  /** Its name tells its content: it never changes. */
  readonly fixed: boolean;
}

/** What a request's path means: `/0/pool/…` is of the first source. Undefined: nothing that a repository has. */
export function wantedFile(sources: readonly string[], path: string): Wanted | undefined {
  const match = /^\/(\d{1,3})\/((?:dists|pool)\/[^?#]*)$/.exec(path);
  const source = sources[Number(match?.[1])];
  const rest = decoded(match?.[2] ?? '');
  if (source === undefined || rest === undefined || !/^[A-Za-z0-9._+~:@=,/-]+$/.test(rest)) return undefined;
  if (rest.split('/').some((part) => part === '' || part === '.' || part === '..')) return undefined;
  const fixed = rest.startsWith('pool/') || rest.includes('/by-hash/');
  const key = createHash('sha256').update(source).digest('hex').slice(0, 16);
  return { uri: `${source}/${rest}`, file: join(key, rest), fixed };
}

function decoded(text: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
