import type { FileNeed } from '../../model/catalog/need.ts';
import type { Job, Source } from '../types.ts';
import type { Places } from './web/file.ts';
import { networkSource } from './web/source.ts';
import type { WebOptions } from './web/web.ts';

/**
 * The mirrors of the zone that the catalog knows. What a file must be, its project says if it answers; only where it does not,
 * the mirror is believed.
 */
export function zone(options: WebOptions = {}): Source {
  const source = networkSource({ name: 'zone', options, files: placesOf, images: ({ mirrors }) => mirrors });
  return { ...source, key: async (job) => (hasMirrors(job) ? await source.key(job) : undefined) };
}

/** One file of several may have no mirror: then it comes from its project. */
function placesOf({ url, mirrors, checksum }: FileNeed): Places {
  return {
    urls: (mirrors.length > 0 ? mirrors : [url]).map((text) => new URL(text)),
    checksums: checksum === undefined ? [] : [checksum.url, ...checksum.mirrors].map((text) => new URL(text)),
  };
}

function hasMirrors(job: Job): boolean {
  return job.kind === 'image' ? job.image.mirrors.length > 0 : job.files.some(({ mirrors }) => mirrors.length > 0);
}
