import { createHash } from 'node:crypto';
import { canonical, type Json, type JsonObject } from '../../../model/json.ts';
import type { BlobStore } from '../content/blob-store.ts';
import type { Digest } from '../content/digest.ts';
import { gzip } from '../content/gzip.ts';
import { tar } from '../content/tar.ts';
import { layOut, type TreeItem } from './tree.ts';
import { type Descriptor, MEDIA, type Platform } from './types.ts';

/** A layer in a store: packed as its descriptor says, and known by what it unpacks to. */
export interface Layer {
  readonly descriptor: Descriptor;
  /** The digest of the unpacked archive: the same for the same files on every machine. */
  readonly diffId: Digest;
}

/** How layers are written. */
export interface LayerOptions {
  /** Default: gzip. Plain layers have the same digest on every machine, and with every Node. */
  readonly compression?: 'gzip' | 'none';
  /** Seconds since 1970, for every file. Default: 0. */
  readonly mtime?: number;
}

/** What an image is, beside its layers. */
export interface ImageSpec {
  readonly platform: Platform;
  readonly layers: readonly Layer[];
  readonly entrypoint?: readonly string[];
  readonly cmd?: readonly string[];
  /** `NAME=value`. Default: the usual PATH. */
  readonly env?: readonly string[];
  readonly user?: string;
  readonly workingDir?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** `53/udp` */
  readonly exposedPorts?: readonly string[];
  readonly stopSignal?: string;
  /** When it says it was made. Default: 1970, so that the time of a build leaves no trace. */
  readonly created?: string;
}

/** An image in a store. */
export interface BuiltImage {
  /** Of its manifest, with the platform. */
  readonly descriptor: Descriptor;
  /** The digest of its configuration: depends on the files and the settings only, not on how layers are packed. */
  readonly id: Digest;
}

const EPOCH = '1970-01-01T00:00:00Z';
const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Writes files as a layer. */
export async function buildLayer(
  store: BlobStore,
  items: readonly TreeItem[],
  options: LayerOptions = {},
): Promise<Layer> {
  const entries = await layOut(items);
  const unpacked = createHash('sha256');
  const archive = (async function* () {
    for await (const chunk of tar(entries, options.mtime === undefined ? {} : { mtime: options.mtime })) {
      unpacked.update(chunk);
      yield chunk;
    }
  })();
  const packed = options.compression !== 'none';
  const { digest, size } = await store.write(packed ? gzip(archive) : archive);
  return {
    descriptor: { mediaType: packed ? MEDIA.layerGzip : MEDIA.layer, digest, size },
    diffId: `sha256:${unpacked.digest('hex')}`,
  };
}

/** Writes an image of layers that are in the store. */
export async function buildImage(store: BlobStore, spec: ImageSpec): Promise<BuiltImage> {
  const { digest: id, size } = await store.put(canonical(configOf(spec)));
  const manifest = await store.put(
    canonical({
      schemaVersion: 2,
      mediaType: MEDIA.manifest,
      config: { mediaType: MEDIA.config, digest: id, size },
      layers: spec.layers.map(({ descriptor }) => asJson(descriptor)),
    }),
  );
  return { id, descriptor: { mediaType: MEDIA.manifest, ...manifest, platform: spec.platform } };
}

/** Joins images for several platforms under one digest. */
export async function buildIndex(store: BlobStore, images: readonly Descriptor[]): Promise<Descriptor> {
  // By digest, so that the order in which platforms were built leaves no trace.
  const manifests = [...images].sort((a, b) => (a.digest < b.digest ? -1 : 1)).map(asJson);
  const stored = await store.put(canonical({ schemaVersion: 2, mediaType: MEDIA.index, manifests }));
  return { mediaType: MEDIA.index, ...stored };
}

/** A descriptor as it is written. */
export function asJson({ mediaType, digest, size, platform, annotations }: Descriptor): JsonObject {
  return {
    mediaType,
    digest,
    size,
    ...(platform === undefined ? {} : { platform: { ...platform } }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

function configOf(spec: ImageSpec): JsonObject {
  const created = spec.created ?? EPOCH;
  return {
    ...spec.platform,
    created,
    config: given({
      Entrypoint: spec.entrypoint,
      Cmd: spec.cmd,
      Env: spec.env ?? [PATH],
      User: spec.user,
      WorkingDir: spec.workingDir ?? '/',
      Labels: spec.labels,
      ExposedPorts: spec.exposedPorts && Object.fromEntries(spec.exposedPorts.map((port) => [port, {}])),
      StopSignal: spec.stopSignal,
    }),
    rootfs: { type: 'layers', diff_ids: spec.layers.map(({ diffId }) => diffId) },
    history: spec.layers.map(() => ({ created, created_by: 'kubexm' })),
  };
}

function given(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}
