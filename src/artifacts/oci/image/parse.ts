import { kubexmError } from '../../../model/errors/index.ts';
import { isDigest } from '../content/digest.ts';
import { type Descriptor, type Index, type Manifest, MEDIA, manifestKind, type Platform } from './types.ts';

/** A manifest larger than this is none. */
export const MANIFEST_MAX = 4 * 1024 * 1024;

type Fields = Readonly<Record<string, unknown>>;

/** Reads a manifest or an index that comes from outside. `what` names it in errors. */
export function parseManifest(bytes: Uint8Array, what: string): (Manifest | Index) & { readonly mediaType: string } {
  const wrong = (reason: string) => kubexmError('KX7125', { what, reason });
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw kubexmError('KX7125', { what, reason: 'its manifest is not JSON' }, { cause: error });
  }
  if (!isFields(value)) throw wrong('its manifest is no object');
  const version = value['schemaVersion'];
  if (version !== 2) throw wrong(`its schema version is ${String(version)}, not 2`);
  const mediaType = typeof value['mediaType'] === 'string' ? value['mediaType'] : guessed(value);
  const descriptors = (name: string): readonly Descriptor[] => {
    const list = value[name];
    if (!Array.isArray(list)) throw wrong(`${name} is no list`);
    return list.map((one: unknown, i) => descriptor(one) ?? fail(wrong(`${name}[${i}] is no descriptor`)));
  };
  switch (manifestKind(mediaType)) {
    case 'index':
      return { kind: 'index', mediaType, manifests: descriptors('manifests') };
    case 'manifest': {
      const config = descriptor(value['config']) ?? fail(wrong('config is no descriptor'));
      return { kind: 'manifest', mediaType, config, layers: descriptors('layers') };
    }
    default:
      throw wrong(`its type is ${mediaType}`);
  }
}

/** The platform that an image's configuration says it is for. */
export function platformOfConfig(bytes: Uint8Array): Platform | undefined {
  try {
    return platform(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    return undefined;
  }
}

/** OCI documents need not say what they are. */
function guessed(value: Fields): string {
  if ('manifests' in value) return MEDIA.index;
  return 'layers' in value && 'config' in value ? MEDIA.manifest : 'unknown';
}

/** A descriptor, as far as it is one. */
export function descriptor(value: unknown): Descriptor | undefined {
  if (!isFields(value)) return undefined;
  const { mediaType, digest, size } = value;
  if (typeof mediaType !== 'string' || typeof digest !== 'string' || !isDigest(digest)) return undefined;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined;
  const found = platform(value['platform']);
  const annotations = texts(value['annotations']);
  return {
    mediaType,
    digest,
    size,
    ...(found === undefined ? {} : { platform: found }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

function platform(value: unknown): Platform | undefined {
  if (!isFields(value)) return undefined;
  const { os, architecture, variant } = value;
  if (typeof os !== 'string' || typeof architecture !== 'string') return undefined;
  return { os, architecture, ...(typeof variant === 'string' && variant !== '' ? { variant } : {}) };
}

function texts(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isFields(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fail(error: Error): never {
  throw error;
}
