import { open } from 'node:fs/promises';
import { canonical } from '../../../model/json.ts';
import type { BlobStore } from '../content/blob-store.ts';
import { type TarEntry, tar } from '../content/tar.ts';
import { writeError } from '../content/write-error.ts';
import { blobPath, indexOf, LAYOUT, type NamedImage, replace } from './layout.ts';
import { layOut } from './tree.ts';
import type { Descriptor, Platform } from './types.ts';
import { contentsIn, imageFor } from './walk.ts';

/** How an archive is written. */
export interface ArchiveOptions {
  /**
   * Only this platform's images: what a machine imports. Without it, all platforms; then docker can read the archive only if
   * each image is for one platform.
   */
  readonly platform?: Platform;
  readonly signal?: AbortSignal;
  readonly progress?: (bytes: number) => void;
}

/**
 * Writes images into one tar that containerd, docker and others import: an OCI layout which is at the same time a
 * docker-archive. Every blob is checked on its way; the file appears only when it is whole.
 */
export async function writeArchive(
  store: BlobStore,
  path: string,
  images: readonly NamedImage[],
  options: ArchiveOptions = {},
): Promise<void> {
  const { roots, blobs, docker } = await selected(store, images, options.platform);
  const small = [
    { path: 'oci-layout', data: LAYOUT },
    { path: 'index.json', data: indexOf(roots) },
    ...(docker === undefined ? [] : [{ path: 'manifest.json', data: canonical(docker) }]),
  ];
  const members = [...(await layOut(small)), ...directories(blobs), ...blobs.map((blob) => member(store, blob))];
  let bytes = 0;
  try {
    await replace(path, async (file) => {
      const handle = await open(file, 'wx', 0o644);
      try {
        for await (const chunk of tar(members)) {
          options.signal?.throwIfAborted();
          await handle.writeFile(chunk);
          bytes += chunk.length;
          options.progress?.(bytes);
        }
        await handle.sync();
      } finally {
        await handle.close();
      }
    });
  } catch (error) {
    throw writeError(error, path);
  }
}

interface Selected {
  readonly roots: readonly NamedImage[];
  readonly blobs: readonly Descriptor[];
  /** `manifest.json`, as docker reads it. */
  readonly docker:
    | readonly { readonly Config: string; readonly RepoTags: readonly string[]; readonly Layers: readonly string[] }[]
    | undefined;
}

async function selected(
  store: BlobStore,
  images: readonly NamedImage[],
  platform: Platform | undefined,
): Promise<Selected> {
  const roots: NamedImage[] = [];
  const blobs = new Map<string, Descriptor>();
  const docker = [];
  let single = true;
  for (const image of images) {
    const what = image.names[0] ?? image.root.digest;
    const contents = await contentsIn(store, image.root, what, platform === undefined ? 'all' : [platform]);
    single &&= platform !== undefined || contents.images.length === 1;
    const only = single ? await imageFor(store, contents, what, platform) : undefined;
    // With one platform its manifest is the root: the index would name blobs that are not in the archive.
    const kept = platform !== undefined && only !== undefined ? [only.descriptor] : contents.manifests;
    roots.push({ names: image.names, root: rootOf(image.root, only?.descriptor, platform) });
    for (const one of [...kept, ...(only === undefined ? contents.blobs : [only.config, ...only.layers])]) {
      blobs.set(one.digest, one);
    }
    if (only !== undefined) {
      docker.push({
        Config: blobPath(only.config.digest),
        RepoTags: image.names.filter((name) => !name.includes('@')),
        Layers: only.layers.map(({ digest }) => blobPath(digest)),
      });
    }
  }
  return { roots, blobs: [...blobs.values()], docker: single ? docker : undefined };
}

/** What an index said beside about an image of one platform is left out: the same image is the same archive, wherever it came from. */
function rootOf(root: Descriptor, only: Descriptor | undefined, platform: Platform | undefined): Descriptor {
  if (platform === undefined || only === undefined) return root;
  const { mediaType, digest, size } = only;
  return { mediaType, digest, size, platform };
}

function member(store: BlobStore, { digest, size }: Descriptor): TarEntry {
  return { path: blobPath(digest), mode: 0o644, content: { kind: 'file', size, read: () => store.stream(digest) } };
}

function directories(blobs: readonly Descriptor[]): readonly TarEntry[] {
  const paths = new Set(blobs.flatMap(({ digest }) => ['blobs', blobPath(digest).replace(/\/[^/]*$/, '')]));
  return [...paths].map((path) => ({ path, mode: 0o755, content: { kind: 'directory' } }));
}
