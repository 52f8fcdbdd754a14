import { formatReference, parseReference } from '../../oci/index.ts';
import type { Source } from '../types.ts';
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
  const { url, username, password = '', registry, ...rest } = options;
  const base = new URL(url);
  const at = (address: string): URL => {
    const { host, pathname } = new URL(address);
    const there = new URL(base);
    there.pathname = `${base.pathname.replace(/\/+$/, '')}/${host}${pathname}`;
    if (username !== undefined) {
      // Encoded in full: the setters leave a % as it is.
      there.username = encodeURIComponent(username);
      there.password = encodeURIComponent(password);
    }
    return there;
  };
  const [host = base.host, ...path] = (registry ?? base.host).split('/');
  return networkSource({
    name: `mirror ${base.origin}${base.pathname.replace(/\/+$/, '')}`,
    options: { ...rest, plainHttp: [...(rest.plainHttp ?? []), ...(base.protocol === 'http:' ? [host] : [])] },
    credentials: username === undefined ? undefined : () => ({ username, password }),
    files: (need) => ({
      urls: [at(need.url)],
      checksums: need.checksum === undefined ? [] : [at(need.checksum.url)],
    }),
    images: ({ upstream }) => {
      const { repository, tag, digest } = parseReference(upstream);
      const there = { registry: host, repository: [...path, repository].join('/') };
      return [
        formatReference({
          ...there,
          ...(tag === undefined ? {} : { tag }),
          ...(digest === undefined ? {} : { digest }),
        }),
      ];
    },
  });
}
