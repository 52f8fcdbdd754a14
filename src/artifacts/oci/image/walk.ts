import { kubexmError } from '../../../model/errors/index.ts';
import type { BlobStore } from '../content/blob-store.ts';
import { parseManifest, platformOfConfig } from './parse.ts';
import { type Descriptor, type Manifest, manifestKind, type Platform, platformText, samePlatform } from './types.ts';

/** An image's manifest, and what it names. */
export interface FoundImage extends Manifest {
  readonly descriptor: Descriptor;
}

/** Everything below a root: images, the indexes above them, and all blobs. */
export interface Contents {
  /** Children before what names them; the root comes last. */
  readonly manifests: readonly Descriptor[];
  readonly images: readonly FoundImage[];
  /** Configurations and layers, each once. */
  readonly blobs: readonly Descriptor[];
}

/** Reads an index or a manifest, checked. */
export type ReadManifest = (descriptor: Descriptor) => Promise<Uint8Array>;

/** Which images of an index are meant. */
export type PlatformChoice = 'all' | readonly Platform[];

/** Finds everything that an image consists of. A platform that is asked for and not there is an error. */
export async function contentsOf(
  root: Descriptor,
  read: ReadManifest,
  what: string,
  platforms: PlatformChoice = 'all',
): Promise<Contents> {
  const manifests = new Map<string, Descriptor>();
  const images = new Map<string, FoundImage>();
  const visit = async (descriptor: Descriptor): Promise<void> => {
    if (manifests.has(descriptor.digest)) return;
    const parsed = parseManifest(await read(descriptor), what);
    if (parsed.kind === 'manifest') images.set(descriptor.digest, { ...parsed, descriptor });
    else for (const child of chosen(parsed.manifests, platforms, what)) await visit(child);
    manifests.set(descriptor.digest, descriptor);
  };
  await visit(root);
  const blobs = new Map<string, Descriptor>();
  for (const { config, layers } of images.values()) for (const one of [config, ...layers]) blobs.set(one.digest, one);
  return { manifests: [...manifests.values()], images: [...images.values()], blobs: [...blobs.values()] };
}

/** Finds everything that an image in a store consists of. */
export async function contentsIn(
  store: BlobStore,
  root: Descriptor,
  what: string,
  platforms: PlatformChoice = 'all',
): Promise<Contents> {
  return await contentsOf(root, ({ digest }) => store.bytes(digest), what, platforms);
}

/** The one image for a platform; without a platform, the only one that there is. */
export async function imageFor(
  store: BlobStore,
  contents: Contents,
  what: string,
  platform: Platform | undefined,
): Promise<FoundImage> {
  const offered: string[] = [];
  for (const image of contents.images) {
    const own = image.descriptor.platform ?? platformOfConfig(await store.bytes(image.config.digest));
    if (platform === undefined && contents.images.length === 1) return image;
    if (platform !== undefined && own !== undefined && samePlatform(own, platform)) return image;
    offered.push(own === undefined ? 'unknown' : platformText(own));
  }
  const asked = platform === undefined ? 'single image' : platformText(platform);
  throw kubexmError('KX7124', { platform: asked, what, found: offered.join(', ') });
}

function chosen(children: readonly Descriptor[], platforms: PlatformChoice, what: string): readonly Descriptor[] {
  // What an index names beside images, such as another tool's attestations, is not ours to judge.
  const readable = children.filter(({ mediaType }) => manifestKind(mediaType) !== undefined);
  if (platforms === 'all') return readable;
  const nested = readable.filter((child) => child.platform === undefined && manifestKind(child.mediaType) === 'index');
  const found = platforms.map((wanted) => {
    const match = readable.find((child) => child.platform !== undefined && samePlatform(child.platform, wanted));
    if (match !== undefined || nested.length > 0) return match;
    const offered = readable.map(({ platform }) => (platform === undefined ? 'unknown' : platformText(platform)));
    throw kubexmError('KX7124', { platform: platformText(wanted), what, found: offered.join(', ') });
  });
  return [...found.filter((one) => one !== undefined), ...nested];
}
