import { open } from 'node:fs/promises';

/** What a file asks the dynamic linker for; undefined where it is no program or library. */
export async function librariesOf(file: string): Promise<readonly string[] | undefined> {
  const handle = await open(file, 'r');
  try {
    const read = async (at: number, length: number): Promise<Buffer> => {
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await handle.read(buffer, 0, length, at);
      return buffer.subarray(0, bytesRead);
    };
    const head = await read(0, 64);
    const isElf = head.length === 64 && head.readUInt32BE(0) === 0x7f454c46 && head[4] === 2 && head[5] === 1;
    if (!isElf) return undefined;
    const segments = segmentsOf(await read(Number(head.readBigUInt64LE(32)), head.readUInt16LE(56) * SEGMENT));
    const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
    if (dynamic === undefined) return [];
    const entries = entriesOf(await read(dynamic.offset, dynamic.size));
    const [table] = entries.filter(({ tag }) => tag === DT_STRTAB).map(({ value }) => placeOf(segments, value));
    const [size] = entries.filter(({ tag }) => tag === DT_STRSZ).map(({ value }) => value);
    if (table === undefined || size === undefined || size > MAX_NAMES) return [];
    const names = await read(table, size);
    return entries
      .filter(({ tag }) => tag === DT_NEEDED)
      .map(({ value }) => names.subarray(value, Math.max(value, names.indexOf(0, value))).toString());
  } finally {
    await handle.close();
  }
}

const SEGMENT = 56;
const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const DT_NEEDED = 1;
const DT_STRTAB = 5;
const DT_STRSZ = 10;
const MAX_NAMES = 64 << 20;

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

function segmentsOf(table: Buffer): readonly Segment[] {
  return Array.from({ length: Math.floor(table.length / SEGMENT) }, (_, i) => {
    const at = i * SEGMENT;
    const number = (offset: number): number => Number(table.readBigUInt64LE(at + offset));
    return { type: table.readUInt32LE(at), offset: number(8), address: number(16), size: number(32) };
  });
}

function entriesOf(section: Buffer): readonly { readonly tag: number; readonly value: number }[] {
  return Array.from({ length: Math.floor(section.length / 16) }, (_, i) => ({
    tag: Number(section.readBigInt64LE(i * 16)),
    value: Number(section.readBigUInt64LE(i * 16 + 8)),
  }));
}

/** Where something that has an address in memory lies in the file. */
function placeOf(segments: readonly Segment[], address: number): number | undefined {
  const inside = segments.find(
    (one) => one.type === PT_LOAD && address >= one.address && address < one.address + one.size,
  );
  return inside === undefined ? undefined : address - inside.address + inside.offset;
}
