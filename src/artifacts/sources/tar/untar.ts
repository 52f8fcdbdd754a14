import { ArchiveProblem, BLOCK, EXTRA_MAX, type Header, padded, parseHeader, parsePax, paxSize } from './header.ts';

/** A member of an archive. */
export interface Member {
  /** As it would lie below the directory that one unpacks in: no `./`, no slash at the end. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link' | 'hard-link' | 'other';
  readonly size: number;
  readonly mode: number;
  /** What a link points to; of a hard link the path of another member; empty for all others. */
  readonly target: string;
}

/** How much is read of an archive of whose author one knows nothing. */
export interface Limits {
  readonly members: number;
  /** Of all members together, unpacked. */
  readonly bytes: number;
}

/** Called for each member, in order. What is not read of its body is skipped. */
export type Visit = (member: Member, body: AsyncIterable<Buffer>) => Promise<void>;

/** Reads an archive from its beginning to its end, which must be there. Nothing is written anywhere. */
export async function untar(source: AsyncIterable<Uint8Array>, limits: Limits, visit: Visit): Promise<void> {
  const reader = new Reader(source, limits.bytes);
  try {
    let long: { readonly name?: string; readonly target?: string } = {};
    let pax: ReadonlyMap<string, string> = new Map();
    for (let members = 0; ; ) {
      const header = parseHeader(await reader.exactly(BLOCK));
      if (header === undefined) break;
      if (header.type === 'L' || header.type === 'x' || header.type === 'g' || header.type === 'K') {
        const data = await extra(reader, header);
        const text = (): string => data.toString('utf8').replace(/\0+$/, '');
        if (header.type === 'L') long = { ...long, name: text() };
        else if (header.type === 'K') long = { ...long, target: text() };
        else if (header.type === 'x') pax = parsePax(data);
        continue;
      }
      if (++members > limits.members) throw new ArchiveProblem(`it has more than ${limits.members} members`);
      const size = pax.has('size') ? paxSize(pax.get('size') ?? '') : header.size;
      const name = pax.get('path') ?? long.name ?? header.name;
      const target = pax.get('linkpath') ?? long.target ?? header.target;
      await one(reader, { ...header, name, size, target }, visit);
      long = {};
      pax = new Map();
    }
    // To the very end: what is packed says only there whether it is whole.
    await reader.drain();
  } finally {
    await reader.close();
  }
}

async function one(reader: Reader, { name, size, type, mode, target }: Header, visit: Visit): Promise<void> {
  const kind = kindOf(type);
  // Links and directories have none, whatever their header says.
  const bytes = kind === 'file' || kind === 'other' ? size : 0;
  let left = bytes;
  const body = async function* (): AsyncGenerator<Buffer> {
    while (left > 0) {
      const chunk = await reader.some(left);
      left -= chunk.length;
      yield chunk;
    }
  };
  const path = safePath(name);
  // The directory that everything is in.
  if (path !== '') await visit({ path, kind, size: bytes, mode, target: targetOf(kind, target) }, body());
  for await (const _ of body());
  await reader.exactly(padded(bytes) - bytes);
}

async function extra(reader: Reader, { size }: Header): Promise<Buffer> {
  if (size > EXTRA_MAX) throw new ArchiveProblem('it has a header that is too long');
  const data = await reader.exactly(padded(size));
  return data.subarray(0, size);
}

/** A path that stays inside. One that leads out is the work of somebody who means harm. */
function safePath(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || name.includes('\0') || parts.includes('..')) {
    throw new ArchiveProblem(`its member ${JSON.stringify(name.slice(0, 200))} leads out of it`);
  }
  return parts.join('/');
}

function kindOf(type: string): Member['kind'] {
  if (type === '0') return 'file';
  if (type === '1') return 'hard-link';
  if (type === '2') return 'link';
  return type === '5' ? 'directory' : 'other';
}

function targetOf(kind: Member['kind'], target: string): string {
  if (kind === 'hard-link') return safePath(target);
  return kind === 'link' ? target : '';
}

/** Takes a stream in pieces of the size that is needed. */
class Reader {
  private readonly source: AsyncIterator<Uint8Array>;
  private readonly max: number;
  private kept: Buffer = Buffer.alloc(0);
  private bytes = 0;

  constructor(source: AsyncIterable<Uint8Array>, max: number) {
    this.source = source[Symbol.asyncIterator]();
    this.max = max;
  }

  /** At least one byte, and not more than so many. */
  async some(most: number): Promise<Buffer> {
    while (this.kept.length === 0) {
      if (!(await this.fill())) throw new ArchiveProblem('it ends too early');
    }
    const taken = this.kept.subarray(0, most);
    this.kept = this.kept.subarray(taken.length);
    return taken;
  }

  async exactly(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = length; left > 0; ) {
      const piece = await this.some(left);
      pieces.push(piece);
      left -= piece.length;
    }
    return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  }

  async drain(): Promise<void> {
    while (await this.fill());
  }

  async close(): Promise<void> {
    await this.source.return?.();
  }

  private async fill(): Promise<boolean> {
    const { value, done } = await this.source.next();
    if (done === true) return false;
    this.bytes += value.length;
    if (this.bytes > this.max) throw new ArchiveProblem(`it has more than ${this.max} bytes unpacked`);
    this.kept = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return true;
  }
}
