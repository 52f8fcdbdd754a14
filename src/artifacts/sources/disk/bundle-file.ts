import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ArchiveProblem, BLOCK, EXTRA_MAX, padded, parseHeader, parsePax, paxSize } from '../tar/header.ts';

/** Where a member's bytes are in the file. */
export interface Extent {
  readonly offset: number;
  readonly size: number;
}

/** The members of a plain tar, found by going from header to header: of their bytes nothing is read. */
export async function membersOf(path: string): Promise<ReadonlyMap<string, Extent>> {
  const handle = await open(path, 'r');
  try {
    const { size: end } = await handle.stat();
    const members = new Map<string, Extent>();
    let pax: ReadonlyMap<string, string> = new Map();
    for (let at = 0; ; ) {
      const header = parseHeader(await bytesAt(handle, at, BLOCK));
      if (header === undefined) return members;
      const offset = at + BLOCK;
      if (header.type === 'x') {
        if (header.size > EXTRA_MAX) throw new ArchiveProblem('it has a header that is too long');
        pax = parsePax(await bytesAt(handle, offset, header.size));
        at = offset + padded(header.size);
        continue;
      }
      const size = pax.has('size') ? paxSize(pax.get('size') ?? '') : header.size;
      if (offset + padded(size) > end) throw new ArchiveProblem('it is cut off: a part of it is missing');
      const name = (pax.get('path') ?? header.name).replace(/^(?:\.\/)+/, '');
      if (header.type === '0') members.set(name, { offset, size });
      pax = new Map();
      at = offset + padded(size);
    }
  } finally {
    await handle.close();
  }
}

/** The bytes of a member, from one of them on. */
export async function* streamOf(path: string, { offset, size }: Extent, from = 0): AsyncGenerator<Buffer> {
  if (from >= size) return;
  const range = { start: offset + from, end: offset + size - 1, highWaterMark: 1 << 20 };
  for await (const chunk of createReadStream(path, range)) yield chunk as Buffer;
}

async function bytesAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(buffer, done, length - done, at + done);
    if (bytesRead === 0) throw new ArchiveProblem('it is cut off: a part of it is missing');
    done += bytesRead;
  }
  return buffer;
}
