import { statusFailure, TransferFailure } from './failure.ts';
import { get, type HttpOptions } from './request.ts';

/** A digest in hex and what made it. */
export interface KnownDigest {
  readonly algorithm: 'sha256' | 'sha512';
  readonly hex: string;
}

const MAX_BYTES = 1024 * 1024;

/** Fetches a file of checksums and finds the one for a file's name. */
export async function fetchChecksum(url: URL, names: readonly string[], options: HttpOptions): Promise<KnownDigest> {
  const { body } = await get(url, options);
  const { message } = body;
  try {
    if (message.statusCode !== 200)
      throw statusFailure(message.statusCode ?? 0, message.statusMessage ?? '', message.headers['retry-after']);
    let text = '';
    const timer = setTimeout(
      () => body.stop(new TransferFailure('the checksums take too long', { transient: true })),
      options.stallSeconds * 1000,
    );
    try {
      for await (const chunk of body.chunks()) {
        text += chunk.toString('latin1');
        if (text.length > MAX_BYTES)
          throw new TransferFailure('this is no file of checksums: it is too long', { transient: false });
      }
    } finally {
      clearTimeout(timer);
    }
    const found = findChecksum(text, names);
    if (found === undefined)
      throw new TransferFailure(`no sha256 or sha512 of ${names.join(' or ')} in it`, { transient: false });
    return found;
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
