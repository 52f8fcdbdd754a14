import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { kubexmError } from '../../../model/errors/index.ts';
import { canonical } from '../../../model/json.ts';
import type { BlobStore } from '../content/blob-store.ts';
import { algorithmOf, type Digest, hexOf } from '../content/digest.ts';
import { asJson } from './build.ts';
import { descriptor } from './parse.ts';
import { type Descriptor, MEDIA } from './types.ts';
import { contentsIn, contentsOf } from './walk.ts';

/** An image in a store and its full names, such as `registry.k8s.io/pause:3.10`. */
export interface NamedImage {
  readonly root: Descriptor;
  readonly names: readonly string[];
}

/** The file that says that a directory is an OCI layout. */
export const LAYOUT = canonical({ imageLayoutVersion: '1.0.0' });

/** Writes images as an OCI layout. Blobs are hard links where the file system can; the index appears last. */
export async function writeLayout(store: BlobStore, dir: string, images: readonly NamedImage[]): Promise<void> {
  await mkdir(dir, { recursive: true });
  for (const { root, names } of images) {
    const { manifests, blobs } = await contentsIn(store, root, names[0] ?? root.digest);
    for (const { digest } of [...manifests, ...blobs]) {
      const path = join(dir, blobPath(digest));
      await mkdir(dirname(path), { recursive: true });
      if (!(await store.verify(digest))) throw kubexmError('KX7120', { digest, store: store.dir });
      await replace(path, async (file) => {
        if (!(await store.linkTo(digest, file))) await copyFile(store.path(digest), file);
      });
    }
  }
  await writeFileWhole(join(dir, 'oci-layout'), LAYOUT);
  await writeFileWhole(join(dir, 'index.json'), indexOf(images));
}

/** The images of an OCI layout, as its index names them. */
async function readLayout(dir: string): Promise<readonly Descriptor[]> {
  const wrong = (reason: string, cause?: unknown) => kubexmError('KX7125', { what: dir, reason }, { cause });
  let index: unknown;
  try {
    index = JSON.parse(await readFile(join(dir, 'index.json'), 'utf8'));
  } catch (error) {
    throw wrong('its index.json cannot be read', error);
  }
  const { manifests } = index as { readonly manifests?: unknown };
  if (!Array.isArray(manifests)) throw wrong('its index.json names no manifests');
  return manifests.map((one: unknown) => {
    const found = descriptor(one);
    if (found === undefined) throw wrong('its index.json holds what is no descriptor');
    return found;
  });
}

/** Brings the images of an OCI layout into a store, every blob checked on its way. */
export async function importLayout(
  store: BlobStore,
  dir: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly NamedImage[]> {
  const names = new Map<Digest, NamedImage>();
  for (const root of await readLayout(dir)) {
    const { annotations, ...rest } = root;
    const name = annotations?.['io.containerd.image.name'];
    const known = names.get(root.digest)?.names ?? [];
    names.set(root.digest, { root: rest, names: name === undefined ? known : [...known, name] });
  }
  for (const { root, names: own } of names.values()) {
    const read = async ({ digest }: Descriptor) => {
      await importBlob(store, dir, digest, signal);
      return await store.bytes(digest);
    };
    const { blobs } = await contentsOf(root, read, own[0] ?? root.digest);
    for (const { digest } of blobs) await importBlob(store, dir, digest, signal);
  }
  return [...names.values()];
}

async function importBlob(store: BlobStore, dir: string, digest: Digest, signal: AbortSignal): Promise<void> {
  if (await store.verify(digest)) return;
  await store.ingest(digest, signal, async (part) => {
    await part.reset();
    try {
      for await (const chunk of createReadStream(join(dir, blobPath(digest)), { highWaterMark: 1 << 20, signal })) {
        await part.append(chunk as Buffer);
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw kubexmError('KX7125', { what: dir, reason: `${digest} is missing` }, { cause: error });
    }
    if (part.digest() === digest) return;
    await part.reset();
    throw kubexmError('KX7125', { what: dir, reason: `${digest} is damaged` });
  });
}

/** `index.json` of a layout: every name is an entry, in the words of containerd and of the OCI. */
export function indexOf(images: readonly NamedImage[]): string {
  const manifests = images.flatMap(({ root, names }) => {
    if (names.length === 0) return [asJson(root)];
    return names.map((name) => {
      const annotations = {
        ...root.annotations,
        'io.containerd.image.name': name,
        'org.opencontainers.image.ref.name': /:([^:/@]+)(?:@.*)?$/.exec(name)?.[1] ?? name,
      };
      return asJson({ ...root, annotations });
    });
  });
  return canonical({ schemaVersion: 2, mediaType: MEDIA.index, manifests });
}

/** Where a blob lies in a layout. */
export function blobPath(digest: Digest): string {
  return `blobs/${algorithmOf(digest)}/${hexOf(digest)}`;
}

/** Writes a file under another name and then gives it its own, so that nobody sees half of it. */
export async function replace(path: string, write: (file: string) => Promise<void>): Promise<void> {
  const file = `${path}.${randomUUID()}.new`;
  try {
    await write(file);
    await rename(file, path);
  } finally {
    await rm(file, { force: true });
  }
}

async function writeFileWhole(path: string, text: string): Promise<void> {
  await replace(path, async (file) => {
    const handle = await open(file, 'wx', 0o644);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
}
