import { createHash } from 'node:crypto';
import { kubexmError } from '../model/errors/index.ts';
import type { Output, PutOptions } from '../model/host.ts';
import { quote } from '../model/script.ts';
import type { Link } from './link.ts';

/** What fits into a call. Bigger content goes over a channel of its own. */
export const INLINE_BYTES = 48 * 1024;

/** Writes a small file in one call. Twice does no harm, so a cut does not matter. */
export async function writeInline(link: Link, path: string, content: Uint8Array, options: PutOptions): Promise<void> {
  checkDigest(link.host, path, content, options.sha256);
  const words = [path, options.mode ?? '0644', options.owner ?? '', options.sha256 ?? ''].map(quote).join(' ');
  const script = `kx_write ${words} ${quote(escapeBytes(content))}`;
  const output = await link.query(script, { signal: options.signal });
  if (output.code !== 0) throw cannotWrite(link.host, path, output);
  options.progress?.(content.length, content.length);
}

/** Fails when content is not what its digest says, before it is sent. */
export function checkDigest(host: string, path: string, content: Uint8Array, want: string | undefined): void {
  if (want === undefined) return;
  const got = createHash('sha256').update(content).digest('hex');
  if (got !== want) throw kubexmError('KX3033', { path, host, got, want }, { host });
}

/** The error for a file that could not be written there. */
export function cannotWrite(host: string, path: string, output: Pick<Output, 'stderr' | 'code'>): Error {
  const reason = output.stderr.trim().split('\n').at(-1) || `exit code ${output.code}`;
  return kubexmError('KX3032', { path, host, reason }, { host, detail: output.stderr });
}

/** Bytes as `printf %b` takes them: whatever is not plain ASCII text is written in octal, NUL included. */
function escapeBytes(content: Uint8Array): string {
  let text = '';
  for (const byte of content) {
    if (byte === 0x5c) text += '\\\\';
    else if (byte === 0x0a || byte === 0x09 || (byte >= 0x20 && byte < 0x7f)) text += String.fromCharCode(byte);
    else text += `\\0${byte.toString(8).padStart(3, '0')}`;
  }
  return text;
}
