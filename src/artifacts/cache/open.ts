import type { SourceSpec } from '../../model/artifact-lock.ts';
import { goSource } from '../sources/go-source.ts';
import { bundle, directory, mirror, upstream, zone } from '../sources/index.ts';
import { BuildLedger } from './build-ledger.ts';
import { openCache } from './cache.ts';
import type { Supply } from './ensure.ts';
import type { Source } from './types.ts';

/** A source as the configuration or the environment names it, with its password. */
export type SourceOptions = Omit<SourceSpec, 'passwordField'> & { readonly password?: string };

/** Opens the cache and the sources. Nothing is connected to before it is used. */
export async function openSupply(cacheDir: string, sources: readonly SourceOptions[]): Promise<Supply> {
  const cache = await openCache(cacheDir);
  const builds = new BuildLedger();
  return { cache, sources: sources.map((one) => openSource(one)), told: new Set(), builds };

  function openSource({ type, path = '', url = '', unverified = false, ...more }: SourceOptions): Source {
    const trust = { caFile: more.caFile };
    switch (type) {
      case 'upstream':
        return upstream(trust);
      case 'zone':
        return zone(trust);
      case 'mirror':
        return mirror({ url, ...more });
      case 'directory':
        return directory({ path });
      case 'bundle':
        return bundle({ path, ...more });
      case 'go':
        return goSource(cache, process.env, unverified, builds);
    }
  }
}
