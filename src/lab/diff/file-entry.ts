import type { BigIntStats } from 'node:fs';
import type { Facet } from './types.ts';

/** What a file is. */
export type FileType = 'file' | 'directory' | 'symlink' | 'socket' | 'fifo' | 'block' | 'char';

/** One file as it was found: all that is compared, and what tells whether it was touched since. */
export interface FileEntry {
  readonly type: FileType;
  /** Permissions in octal, with the set-id and sticky bits. */
  readonly mode: string;
  /** `uid:gid` */
  readonly owner: string;
  /** Bytes of a regular file. */
  readonly size?: number;
  /** Where a symbolic link points. */
  readonly target?: string;
  /** `major:minor` of a device. */
  readonly device?: string;
  /** Extended attributes as hexadecimal text, without those of the overlay itself. */
  readonly xattrs?: Readonly<Record<string, string>>;
  /** SHA-256 of a regular file, where it was needed. */
  readonly sha256?: string;
  /** Inode and time of its last change: while both stay, so does the content. */
  readonly stamp?: string;
  /** It says that what lies below in the overlay is gone: `whiteout` the file itself, `opaque` what a directory held. */
  readonly hides?: 'whiteout' | 'opaque';
}

/** Files by their path inside the machine. */
export type FileIndex = ReadonlyMap<string, FileEntry>;

const OVERLAY = /^(?:trusted|user)\.overlay\./;

/** A file as its status and attributes tell it. */
export function fileEntry(
  stat: BigIntStats,
  target: string | undefined,
  attributes: Readonly<Record<string, string>> = {},
): FileEntry {
  const type = typeOf(stat);
  const device = type === 'block' || type === 'char' ? deviceOf(stat.rdev) : undefined;
  const own = Object.entries(attributes).filter(([name]) => !OVERLAY.test(name));
  const hides = hiding(type, device, stat.size, attributes);
  return {
    type,
    mode: (Number(stat.mode) & 0o7777).toString(8).padStart(4, '0'),
    owner: `${stat.uid}:${stat.gid}`,
    ...(type === 'file' ? { size: Number(stat.size), stamp: `${stat.ino}.${stat.ctimeNs}` } : {}),
    ...(target === undefined ? {} : { target }),
    ...(device === undefined ? {} : { device }),
    ...(own.length === 0 ? {} : { xattrs: Object.fromEntries(own.sort(([a], [b]) => (a < b ? -1 : 1))) }),
    ...(hides === undefined ? {} : { hides }),
  };
}

/** Whether the overlay stores a file's content or place elsewhere (`redirect_dir`, `metacopy`), which is not followed. */
export function isRedirected(attributes: Readonly<Record<string, string>>): boolean {
  return Object.keys(attributes).some((name) => /^(?:trusted|user)\.overlay\.(?:redirect|metacopy)$/.test(name));
}

/** What of a file is compared and shown. The content of a file that has none to be compared is left out. */
export function facetOf(entry: FileEntry): Facet {
  const { type, mode, owner, size, target, device, sha256, xattrs } = entry;
  return {
    type,
    // The mode of a symbolic link means nothing.
    ...(type === 'symlink' ? {} : { mode }),
    owner,
    ...(size === undefined ? {} : { size: String(size) }),
    ...(target === undefined ? {} : { target }),
    ...(device === undefined ? {} : { device }),
    ...(sha256 === undefined ? {} : { sha256 }),
    ...Object.fromEntries(Object.entries(xattrs ?? {}).map(([name, value]) => [`xattr ${name}`, value])),
  };
}

function hiding(
  type: FileType,
  device: string | undefined,
  size: bigint,
  attributes: Readonly<Record<string, string>>,
): FileEntry['hides'] {
  const has = (name: string) => attributes[`trusted.overlay.${name}`] ?? attributes[`user.overlay.${name}`];
  if (type === 'char' && device === '0:0') return 'whiteout';
  if (type === 'file' && size === 0n && has('whiteout') !== undefined) return 'whiteout';
  // `y`: opaque. `x` only says that whiteouts of the other form are inside.
  return type === 'directory' && has('opaque') === '0x79' ? 'opaque' : undefined;
}

function typeOf(stat: BigIntStats): FileType {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  if (stat.isSymbolicLink()) return 'symlink';
  if (stat.isSocket()) return 'socket';
  if (stat.isFIFO()) return 'fifo';
  return stat.isBlockDevice() ? 'block' : 'char';
}

// As Linux packs device numbers into 64 bits.
function deviceOf(rdev: bigint): string {
  const major = ((rdev >> 8n) & 0xfffn) | ((rdev >> 32n) & 0xfffff000n);
  const minor = (rdev & 0xffn) | ((rdev >> 12n) & 0xffffff00n);
  return `${major}:${minor}`;
}
