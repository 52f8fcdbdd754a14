/** The types of host keys that kubexm accepts from a server, in the order in which it asks for them. */
export const HOST_KEY_TYPES = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
] as const;

const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}=?$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A host key as somebody wrote it down. */
export type WrittenHostKey =
  | { readonly fingerprint: string }
  /** `key`: in base64, as known_hosts has it. */
  | { readonly type: string; readonly key: string };

/** Reads `SHA256:…` as ssh-keygen prints it, or a public key as in /etc/ssh/ssh_host_ed25519_key.pub. */
export function parseHostKey(text: string): WrittenHostKey | undefined {
  const [type = '', key = ''] = text.trim().split(/[ \t]+/);
  if (key === '') return FINGERPRINT.test(type) ? { fingerprint: type.replace(/=$/, '') } : undefined;
  if (!(HOST_KEY_TYPES as readonly string[]).includes(type) || !BASE64.test(key)) return undefined;
  // The key names its own type: another one in front of it is a slip, and would never match.
  const bytes = Buffer.from(key, 'base64');
  const named = bytes.length < 4 ? '' : bytes.toString('latin1', 4, 4 + bytes.readUInt32BE(0));
  return named === type ? { type, key } : undefined;
}

/** Whether a text is a host key. */
export function isHostKey(text: string): boolean {
  return parseHostKey(text) !== undefined;
}
