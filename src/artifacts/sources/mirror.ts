import type { Source } from '../cache/types.ts';
import { formatReference, parseReference } from '../oci/index.ts';
import type { Place } from './web/file.ts';
import { networkSource } from './web/source.ts';
import type { WebOptions } from './web/web.ts';

/** A private mirror, as docs/artifacts.md describes its layout. */
export interface MirrorOptions extends WebOptions {
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Where its images are: `registry.example.com:5000`, with a path where all are below one. Default: the host of the url. */
  readonly registry?: string | undefined;
}

/** A private mirror: every file below the name of the host that it comes from, checksums included; images in its registry. */
export function mirror(options: MirrorOptions): Source {
  const { url: text, username, password = '', registry, ...rest } = options;
  const base = new URL(text);
  const there = (address: string): Place => {
    const { host, pathname } = new URL(address);
    const url = new URL(base);
    url.pathname = `${base.pathname.replace(/\/+$/, '')}/${host}${pathname}`;
    if (username !== undefined) {
      // Encoded in full: the setters leave a % as it is.
      url.username = encodeURIComponent(username);
      url.password = encodeURIComponent(password);
    }
    return { url, of: 'mirror' };
  };
  const [host = base.host, ...path] = (registry ?? base.host).split('/');
  return networkSource({
    name: `mirror ${base.origin}${base.pathname.replace(/\/+$/, '')}`,
    of: 'mirror',
    options: {
      ...rest,
      plainRegistries: [...(rest.plainRegistries ?? []), ...(base.protocol === 'http:' ? [host] : [])],
    },
    credentials: username === undefined ? undefined : () => ({ username, password }),
    files: (need) => ({
      urls: [there(need.url)],
      checksums: need.checksum === undefined ? [] : [there(need.checksum.url)],
    }),
    images: ({ upstream }) => {
      const { repository, tag, digest } = parseReference(upstream);
      const place = { registry: host, repository: [...path, repository].join('/') };
      return [
        formatReference({
          ...place,
          ...(tag === undefined ? {} : { tag }),
          ...(digest === undefined ? {} : { digest }),
        }),
      ];
    },
  });
}
