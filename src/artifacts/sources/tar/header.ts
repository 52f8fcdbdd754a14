/** An archive that is not what it should be. What to tell about it, the reader's caller knows. */
export class ArchiveProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ArchiveProblem';
  }
}

/** What a header of a tar says. */
export interface Header {
  readonly name: string;
  readonly size: number;
  /** `0` is a file, `1` and `2` are links, `5` is a directory; the others are seldom or none of ours. */
  readonly type: string;
  readonly mode: number;
  /** What a link points to. */
  readonly target: string;
}

/** The unit that a tar is made of. */
export const BLOCK = 512;
/** Headers about headers are short. */
export const EXTRA_MAX = 64 * 1024;

/** Reads a header; undefined is the block of zeros that ends an archive. */
export function parseHeader(block: Buffer): Header | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const sum = block.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 0x20 : byte), 0);
  if (numberIn(block, 148, 8) !== sum) throw new ArchiveProblem('it is no tar, or it is damaged');
  const magic = block.toString('latin1', 257, 263);
  const prefix = magic === 'ustar\0' ? textIn(block, 345, 155) : '';
  const name = textIn(block, 0, 100);
  const type = String.fromCharCode(block[156] ?? 0);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: numberIn(block, 124, 12),
    type: type === '\0' || type === '7' ? '0' : type,
    mode: numberIn(block, 100, 8) & 0o7777,
    target: textIn(block, 157, 100),
  };
}

/** How many bytes a member takes with what fills its last block. */
export function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

/** The records of a pax header: `27 path=some/long/name\n`. */
export function parsePax(data: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    const length = space < 0 ? Number.NaN : Number(data.toString('latin1', at, space));
    const end = at + length;
    if (!Number.isInteger(length) || end > data.length || end <= space + 1 || data[end - 1] !== 0x0a) {
      throw new ArchiveProblem('it has a header that cannot be read');
    }
    const record = data.toString('utf8', space + 1, end - 1);
    const equals = record.indexOf('=');
    if (equals > 0) records.set(record.slice(0, equals), record.slice(equals + 1));
    at = end;
  }
  return records;
}

/** A size as a pax header says it. */
export function paxSize(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw new ArchiveProblem('it has a member of no size');
  return Number(text);
}

function textIn(block: Buffer, at: number, length: number): string {
  const end = block.indexOf(0, at);
  return block.toString('utf8', at, end < 0 || end > at + length ? at + length : end);
}

/** Octal digits, or the bytes of a number that does not fit into them. */
function numberIn(block: Buffer, at: number, length: number): number {
  const first = block[at] ?? 0;
  if (first === 0x80) {
    const value = block.readUIntBE(at + length - 6, 6);
    if (block.subarray(at + 1, at + length - 6).every((byte) => byte === 0)) return value;
    throw new ArchiveProblem('it has a member of no size');
  }
  const text = block
    .toString('latin1', at, at + length)
    .replace(/[\0 ]+$/, '')
    .trimStart();
  if (!/^[0-7]*$/.test(text)) throw new ArchiveProblem('it is no tar, or it is damaged');
  return text === '' ? 0 : Number.parseInt(text, 8);
}
