import type { FileNeed } from '../../model/catalog/need.ts';
import type { Job, Source } from '../cache/types.ts';
import { type Places, placeAt } from './web/file.ts';
import { networkSource } from './web/source.ts';
import type { WebOptions } from './web/web.ts';

/**
 * The mirrors of the zone that the catalog knows. What a file must be, the catalog says, or its project if it answers; only where
 * neither does, the mirror is believed.
 */
export function zone(options: WebOptions = {}): Source {
  const source = networkSource({
    name: 'zone',
    of: 'mirror',
    options,
    files: placesOf,
    images: ({ mirrors }) => mirrors,
  });
  return { ...source, key: async (job) => (hasMirrors(job) ? await source.key(job) : undefined) };
}

/** One file of several may have no mirror: then it comes from its project. */
function placesOf({ url, mirrors, checksum }: FileNeed): Places {
  const mirrored = (addresses: readonly string[]) => addresses.map((address) => placeAt(address, 'mirror'));
  return {
    urls: mirrors.length > 0 ? mirrored(mirrors) : [placeAt(url, 'upstream')],
    checksums: checksum === undefined ? [] : [placeAt(checksum.url, 'upstream'), ...mirrored(checksum.mirrors)],
  };
}

function hasMirrors(job: Job): boolean {
  return job.kind === 'image' ? job.image.mirrors.length > 0 : job.files.some(({ mirrors }) => mirrors.length > 0);
}
