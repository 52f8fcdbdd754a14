import { createHash, createHmac } from 'node:crypto';
import { HOST_KEY_TYPES } from '../../model/cluster/host-key.ts';

/** One line of a known_hosts file. */
export interface KnownHost {
  readonly patterns: string;
  readonly revoked: boolean;
  /** The key's type, such as `ssh-ed25519`. */
  readonly type: string;
  /** The key as the file has it, in base64. */
  readonly key: string;
  readonly file: string;
  readonly line: number;
}

/** What known_hosts files say about a key. */
export type HostKeyVerdict =
  | { readonly kind: 'trusted' }
  | { readonly kind: 'new' }
  | { readonly kind: 'revoked'; readonly by: KnownHost }
  | { readonly kind: 'changed'; readonly known: KnownHost };

/** The name a host has in known_hosts: with the port unless it is 22. */
export function knownName(host: string, port: number): string {
  const name = host.toLowerCase();
  return port === 22 ? name : `[${name}]:${port}`;
}

/** The entries of a file. Certificate authorities and lines that make no sense are passed over, as OpenSSH does. */
export function parseKnownHosts(text: string, file: string): KnownHost[] {
  const entries: KnownHost[] = [];
  text.split('\n').forEach((raw, index) => {
    const words = raw.trim().split(/[ \t]+/);
    const marker = words[0]?.startsWith('@') ? words.shift() : undefined;
    const [patterns, type, key] = words;
    if (!patterns || patterns.startsWith('#') || !type || !key) return;
    if (marker !== undefined && marker !== '@revoked') return;
    entries.push({ patterns, revoked: marker === '@revoked', type, key, file, line: index + 1 });
  });
  return entries;
}

/** Whether a comma-separated list of patterns (or one hashed name) means this name. */
export function matchesHost(patterns: string, name: string): boolean {
  if (patterns.startsWith('|1|')) return matchesHash(patterns, name);
  let found = false;
  for (const pattern of patterns.split(',')) {
    const negated = pattern.startsWith('!');
    if (!matchesPattern(negated ? pattern.slice(1) : pattern, name)) continue;
    if (negated) return false;
    found = true;
  }
  return found;
}

/** Whether a name fits a pattern with `*` and `?`. */
export function matchesPattern(pattern: string, name: string): boolean {
  const source = pattern
    .toLowerCase()
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`).test(name.toLowerCase());
}

function matchesHash(hashed: string, name: string): boolean {
  const [, , salt, hash] = hashed.split('|');
  if (!salt || !hash) return false;
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash;
}

/**
 * Judges the key a host shows. A host that is known by another key is a changed one, even when the new key has a type
 * that was never seen: otherwise a stranger would only have to offer a different type.
 */
export function judgeHostKey(entries: readonly KnownHost[], name: string, key: Buffer): HostKeyVerdict {
  const shown = key.toString('base64');
  const ours = entries.filter((entry) => matchesHost(entry.patterns, name));
  const revoked = ours.find((entry) => entry.revoked && entry.key === shown);
  if (revoked) return { kind: 'revoked', by: revoked };
  const valid = ours.filter((entry) => !entry.revoked && algorithmsOf(entry.type).length > 0);
  if (valid.some((entry) => entry.key === shown)) return { kind: 'trusted' };
  const type = keyType(key);
  const known = valid.find((entry) => entry.type === type) ?? valid[0];
  return known ? { kind: 'changed', known } : { kind: 'new' };
}

/** Host key algorithms, those first that we have a key for: the server then shows the key we know. */
export function preferredAlgorithms(entries: readonly KnownHost[], name: string): string[] {
  const known = entries.filter((entry) => !entry.revoked && matchesHost(entry.patterns, name));
  const first = new Set(known.flatMap((entry) => algorithmsOf(entry.type)));
  return [...ALL_ALGORITHMS.filter((one) => first.has(one)), ...ALL_ALGORITHMS.filter((one) => !first.has(one))];
}

const RSA = ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'];
const ALL_ALGORITHMS: readonly string[] = HOST_KEY_TYPES.flatMap((type) => (type === 'ssh-rsa' ? RSA : [type]));

function algorithmsOf(type: string): string[] {
  if (type === 'ssh-rsa') return RSA;
  return ALL_ALGORITHMS.includes(type) ? [type] : [];
}

/** The type written at the start of a public key. */
export function keyType(key: Buffer): string {
  if (key.length < 4) return '';
  return key.toString('latin1', 4, 4 + key.readUInt32BE(0));
}

/** A key's fingerprint as `ssh-keygen -l` prints it. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}
