import { canonical } from '../../../model/json.ts';
import type { Supplied } from '../../cache/types.ts';

/** What a bundle or a directory says it has: items by their ids. */
export type BundleIndex = ReadonlyMap<string, Supplied>;

/** The form of the index. Another one is not guessed at. */
const FORMAT = 'kubexm-bundle';
const VERSION = 1;
/** The name of the index, in a bundle and in a directory. */
export const INDEX = 'index.json';
/** Longer ones are none of ours. */
export const INDEX_MAX = 16 * 1024 * 1024;

/** Where an item's bytes are, below the directory or in the bundle. */
export function blobPath(sha256: string): string {
  return `blobs/sha256/${sha256}`;
}

/** The text of an index: the same for the same items. */
export function formatIndex(items: BundleIndex): string {
  const entries = [...items].map(([id, { sha256, size }]) => [id, { sha256, size, blob: blobPath(sha256) }] as const);
  return `${canonical({ format: FORMAT, version: VERSION, items: Object.fromEntries(entries) })}\n`;
}

/** Reads an index; a text says what is wrong with it. */
export function parseIndex(text: string): BundleIndex | string {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return `its ${INDEX} is not valid JSON`;
  }
  if (!isObject(found) || found['format'] !== FORMAT) return `its ${INDEX} is not that of a bundle`;
  const { version, items } = found;
  if (version !== VERSION) {
    return `it has version ${JSON.stringify(version)} of the format, and this kubexm reads version ${VERSION}`;
  }
  if (!isObject(items)) return `its ${INDEX} names no items`;
  const index = new Map<string, Supplied>();
  for (const [id, item] of Object.entries(items)) {
    const { sha256, size, blob } = isObject(item) ? item : {};
    const sound =
      typeof sha256 === 'string' &&
      /^[0-9a-f]{64}$/.test(sha256) &&
      typeof size === 'number' &&
      Number.isSafeInteger(size) &&
      size >= 0 &&
      blob === blobPath(sha256);
    if (!sound) return `its ${INDEX} is wrong about ${JSON.stringify(id)}`;
    index.set(id, { sha256, size });
  }
  return index;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
