import type { Source } from '../cache/types.ts';
import { placeAt } from './web/file.ts';
import { networkSource } from './web/source.ts';
import type { WebOptions } from './web/web.ts';

/** The projects themselves: files and images from where they are published. */
export function upstream(options: WebOptions = {}): Source {
  return networkSource({
    name: 'upstream',
    of: 'upstream',
    options,
    files: ({ url, checksum }) => ({
      urls: [placeAt(url, 'upstream')],
      checksums: checksum === undefined ? [] : [placeAt(checksum.url, 'upstream')],
    }),
    // What nobody publishes is not asked for.
    images: ({ upstream: reference }) => (/^[^/]*\.invalid\//.test(reference) ? [] : [reference]),
  });
}
