/** One member of an archive, as it is read. The content has to be read, or at least begun, before the next member comes. */
export interface TarMember {
  /** Without `./` in front and a slash at the end; empty for the root itself. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link' | 'hard-link' | 'other';
  readonly mode: number;
  /** What a link points to; for a hard link the path of another member. */
  readonly target: string;
  readonly content: AsyncIterable<Buffer>;
}

const BLOCK = 512;
/** Names and the like: more than that is no name. */
const MAX_META = 1 << 20;
const KINDS: Readonly<Record<string, TarMember['kind']>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'hard-link',
  '2': 'link',
  '5': 'directory',
};

/** Reads an archive as dpkg and GNU tar write it. Throws a plain error, with the reason, where it is cut or no archive. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember> {
  const bytes = new Bytes(source);
  let long: { path?: string; target?: string } = {};
  for (;;) {
    const header = await bytes.exactly(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    if (!checksumFits(header)) throw new Error('it is no tar archive');
    const size = number(header, 124, 12);
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'L' || type === 'K' || type === 'x' || type === 'g') {
      if (size > MAX_META) throw new Error('a name in it is too long');
      const data = await bytes.exactly(size);
      await bytes.skip(padding(size));
      if (type === 'L') long = { ...long, path: text(data, 0, size) };
      else if (type === 'K') long = { ...long, target: text(data, 0, size) };
      else if (type === 'x') long = { ...long, ...paxNames(data) };
      continue;
    }
    let left = size;
    const content = (async function* () {
      while (left > 0) {
        const chunk = await bytes.some(left);
        left -= chunk.length;
        yield chunk;
      }
    })();
    yield {
      path: plain(long.path ?? joined(text(header, 345, 155), text(header, 0, 100))),
      kind: KINDS[type] ?? 'other',
      mode: number(header, 100, 8) & 0o7777,
      target: long.target ?? text(header, 157, 100),
      content,
    };
    long = {};
    await bytes.skip(left + padding(size));
  }
}

/** A stream of which so many bytes are taken at a time. */
class Bytes {
  private readonly source: AsyncIterator<Uint8Array>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** At least one byte, at most so many. */
  async some(most: number): Promise<Buffer> {
    while (this.rest.length === 0) {
      const { value, done } = await this.source.next();
      if (done === true) throw new Error('it ends too early');
      this.rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const taken = this.rest.subarray(0, most);
    this.rest = this.rest.subarray(taken.length);
    return taken;
  }

  async exactly(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = count; left > 0; ) {
      const part = await this.some(left);
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }

  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; ) left -= (await this.some(left)).length;
  }
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function checksumFits(header: Buffer): boolean {
  const sum = header.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 0x20 : byte), 0);
  return sum === number(header, 148, 8);
}

function number(header: Buffer, at: number, length: number): number {
  // Sizes that do not fit into octal digits are binary, marked by the first bit.
  if (((header[at] ?? 0) & 0x80) !== 0) return Number(header.readBigUInt64BE(at + length - 8));
  return Number.parseInt(text(header, at, length).trim() || '0', 8);
}

function text(data: Buffer, at: number, length: number): string {
  const field = data.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? field.length : end).toString();
}

function joined(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}/${name}`;
}

function plain(path: string): string {
  return path
    .replace(/^(\.?\/)+/, '')
    .replace(/\/+$/, '')
    .replace(/^\.$/, '');
}

/** `27 path=some/long/name\n`, one after the other. */
function paxNames(data: Buffer): { path?: string; target?: string } {
  const names: { path?: string; target?: string } = {};
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    const length = Number(data.subarray(at, Math.max(at, space)).toString());
    if (space < 0 || !Number.isInteger(length) || length <= space - at)
      throw new Error('a header in it cannot be read');
    const [key, ...value] = data
      .subarray(space + 1, at + length - 1)
      .toString()
      .split('=');
    if (key === 'path') names.path = value.join('=');
    if (key === 'linkpath') names.target = value.join('=');
    at += length;
  }
  return names;
}
