import type { Source } from '../types.ts';
import { networkSource } from './web/source.ts';
import type { WebOptions } from './web/web.ts';

/** The projects themselves: files and images from where they are published. */
export function upstream(options: WebOptions = {}): Source {
  return networkSource({
    name: 'upstream',
    options,
    files: ({ url, checksum }) => ({
      urls: [new URL(url)],
      checksums: checksum === undefined ? [] : [new URL(checksum.url)],
    }),
    // What nobody publishes is not asked for.
    images: ({ upstream: reference }) => (/^[^/]*\.invalid\//.test(reference) ? [] : [reference]),
  });
}
