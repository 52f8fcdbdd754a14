import { HttpFailure, statusFailure } from './failure.ts';
import { get, type HttpOptions } from './get.ts';

/** A digest in hex and what made it. */
export interface KnownDigest {
  readonly algorithm: 'sha256' | 'sha512';
  readonly hex: string;
}

const MAX_BYTES = 1024 * 1024;

/** Fetches a file of checksums and finds the one for a file's name. */
export async function fetchChecksum(url: URL, names: readonly string[], options: HttpOptions): Promise<KnownDigest> {
  const { status, statusText, headers, body } = await get(url, options);
  try {
    if (status !== 200) throw statusFailure(status, statusText, headers['retry-after']);
    const found = findChecksum((await body.all(MAX_BYTES, options.stallSeconds)).toString('latin1'), names);
    if (found !== undefined) return found;
    throw new HttpFailure(`no sha256 or sha512 of ${names.join(' or ')} in it`, { transient: false });
  } finally {
    body.stop();
  }
}

/** The checksum for one of these names: in the form of sha256sum, of BSD, or a single digest without a name. */
export function findChecksum(text: string, names: readonly string[]): KnownDigest | undefined {
  const rows = text.split(/\r?\n/).flatMap(parseRow);
  const named = rows.find((row) => row.name !== undefined && names.includes(row.name));
  const alone = rows.length === 1 && rows[0]?.name === undefined ? rows[0] : undefined;
  const row = named ?? alone;
  return row === undefined ? undefined : { algorithm: row.hex.length === 64 ? 'sha256' : 'sha512', hex: row.hex };
}

function parseRow(line: string): readonly { readonly hex: string; readonly name: string | undefined }[] {
  const hex = '([0-9a-fA-F]{128}|[0-9a-fA-F]{64})';
  const gnu = new RegExp(`^\\s*${hex}(?:\\s+[*]?(.+?))?\\s*$`).exec(line);
  if (gnu !== null) return [{ hex: (gnu[1] ?? '').toLowerCase(), name: baseName(gnu[2]) }];
  const bsd = new RegExp(`^SHA(?:256|512)\\s*\\((.+)\\)\\s*=\\s*${hex}\\s*$`).exec(line);
  return bsd === null ? [] : [{ hex: (bsd[2] ?? '').toLowerCase(), name: baseName(bsd[1]) }];
}

function baseName(name: string | undefined): string | undefined {
  return name?.replace(/^.*\//, '');
}
