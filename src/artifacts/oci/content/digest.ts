import { createHash, type Hash } from 'node:crypto';

/** What a blob is known by: the hash of its bytes. */
export type Digest = `sha256:${string}` | `sha512:${string}`;

const SHAPE = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

/** Whether a text from outside is a digest that can be checked. */
export function isDigest(text: string): text is Digest {
  return SHAPE.test(text);
}

/** The sha256 digest of bytes. */
export function digestOf(data: Uint8Array | string): Digest {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}

/** A hash that will give a digest of the same kind as the one that is expected. */
export function hasherFor(digest: Digest): Hash {
  return createHash(algorithmOf(digest));
}

/** A finished hash in the form of the digest that is expected. */
export function finished(hash: Hash, like: Digest): Digest {
  return `${algorithmOf(like)}:${hash.digest('hex')}`;
}

/** `sha256` or `sha512`. */
export function algorithmOf(digest: Digest): 'sha256' | 'sha512' {
  return digest.startsWith('sha256:') ? 'sha256' : 'sha512';
}

/** The part behind the colon. */
export function hexOf(digest: Digest): string {
  return digest.slice(digest.indexOf(':') + 1);
}
