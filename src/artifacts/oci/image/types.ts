import type { Digest } from '../content/digest.ts';

/** What a machine must be for an image to run on it. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

/** Names a blob: what it is, its digest, its size. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
  readonly platform?: Platform;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** One image for one platform. */
export interface Manifest {
  readonly kind: 'manifest';
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** Several images of one name, for several platforms. */
export interface Index {
  readonly kind: 'index';
  readonly manifests: readonly Descriptor[];
}

/** The types of everything that is read or written here. */
export const MEDIA = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
  layerGzip: 'application/vnd.oci.image.layer.v1.tar+gzip',
  dockerIndex: 'application/vnd.docker.distribution.manifest.list.v2+json',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
} as const;

/** Whether a blob is an index or a manifest, by its type. */
export function manifestKind(mediaType: string): 'index' | 'manifest' | undefined {
  if (mediaType === MEDIA.index || mediaType === MEDIA.dockerIndex) return 'index';
  return mediaType === MEDIA.manifest || mediaType === MEDIA.dockerManifest ? 'manifest' : undefined;
}

/** `linux/arm64/v8`. */
export function platformText({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(variant === undefined ? [] : [variant])].join('/');
}

/** Whether an image for one platform is what the other asks for. The usual variant of arm64 needs no name. */
export function samePlatform(offered: Platform, wanted: Platform): boolean {
  return (
    offered.os === wanted.os && offered.architecture === wanted.architecture && variantOf(offered) === variantOf(wanted)
  );
}

function variantOf({ architecture, variant = '' }: Platform): string {
  return architecture === 'arm64' && variant === 'v8' ? '' : variant;
}
