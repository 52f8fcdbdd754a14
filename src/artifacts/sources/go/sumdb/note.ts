import { createHash, createPublicKey, verify } from 'node:crypto';

/** A public key of a checksum database. */
export interface VerifierKey {
  readonly name: string;
  /** Tells keys of one name apart. */
  readonly hash: number;
  readonly key: ReturnType<typeof createPublicKey>;
}

const ED25519 = 1;
/** What comes before 32 bytes of an Ed25519 key in the form that other programs exchange keys in. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** Reads a key as it is published: `name+hash+base64`. Unset: it is none. */
export function parseKey(text: string): VerifierKey | undefined {
  const [, name = '', hash = '', encoded = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length !== 33 || bytes[0] !== ED25519) return undefined;
  const digest = createHash('sha256').update(`${name}\n`).update(bytes).digest();
  if (digest.readUInt32BE(0) !== Number.parseInt(hash, 16)) return undefined;
  const key = createPublicKey({ key: Buffer.concat([SPKI, bytes.subarray(1)]), format: 'der', type: 'spki' });
  return { name, hash: digest.readUInt32BE(0), key };
}

/** The text of a signed note, if this key signed it. */
export function openNote(note: string, verifier: VerifierKey): string | undefined {
  const end = note.lastIndexOf('\n\n');
  if (end < 0) return undefined;
  const text = note.slice(0, end + 1);
  for (const line of note.slice(end + 2).split('\n')) {
    const [, name, encoded = ''] = /^\u2014 (\S+) (\S+)$/.exec(line) ?? [];
    const bytes = Buffer.from(encoded, 'base64');
    if (name !== verifier.name || bytes.length !== 68 || bytes.readUInt32BE(0) !== verifier.hash) continue;
    return verify(null, Buffer.from(text), verifier.key, bytes.subarray(4)) ? text : undefined;
  }
  return undefined;
}
