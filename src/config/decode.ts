import { type Problem, problem } from './problem.ts';
import { locationOf, sourceOf } from './source.ts';

/** Text with normal line ends and without a byte order mark, or why the bytes are no text. */
export function decode(file: string, bytes: Uint8Array): string | Problem {
  const start = sourceOf(file, '');
  const here = locationOf(start, { start: 0, end: 0 });
  if (isUtf16(bytes)) return problem('KX2008', {}, here);
  if (hasMagic(bytes) || bytes.includes(0)) return problem('KX2009', {}, here);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const wrong = firstInvalid(text, bytes);
  if (wrong !== undefined) {
    const before = normalise(text.slice(0, wrong.index));
    const source = sourceOf(file, `${before}\ufffd`);
    const at = locationOf(source, { start: before.length, end: before.length + 1 });
    return problem('KX2007', { byte: `0x${wrong.byte.toString(16)}` }, at);
  }
  return normalise(text);
}

/** Line ends of Windows and old Macs become normal ones; a byte order mark is dropped. */
export function normalise(text: string): string {
  return text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
}

function isUtf16(bytes: Uint8Array): boolean {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return true;
  if (bytes.length < 4) return false;
  const head = bytes.subarray(0, 64);
  const zeros = (odd: number): boolean => head.every((byte, i) => (i % 2 === odd) === (byte === 0));
  return zeros(0) || zeros(1);
}

function hasMagic(bytes: Uint8Array): boolean {
  const magics = [
    [0x1f, 0x8b],
    [0x89, 0x50, 0x4e, 0x47],
    [0x50, 0x4b, 3, 4],
    [0x7f, 0x45, 0x4c, 0x46],
    [0xff, 0xd8, 0xff],
  ];
  return magics.some((magic) => magic.every((byte, i) => bytes[i] === byte));
}

/** The decoder puts U+FFFD where bytes are wrong; one that was written stands as EF BF BD. */
function firstInvalid(text: string, bytes: Uint8Array): { index: number; byte: number } | undefined {
  let counted = 0;
  let offset = 0;
  for (let i = text.indexOf('\ufffd'); i !== -1; i = text.indexOf('\ufffd', i + 1)) {
    offset += Buffer.byteLength(text.slice(counted, i));
    counted = i + 1;
    const written = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!written) return { index: i, byte: bytes[offset] ?? 0 };
    offset += 3;
  }
  return undefined;
}
