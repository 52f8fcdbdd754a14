import { open } from 'node:fs/promises';
import type { Arch } from '../../../model/catalog/schema.ts';
import { kubexmError } from '../../../model/errors/index.ts';

const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
const HEADER = 64;
const PROGRAM_HEADER = 56;
/** A linker that the program is handed to when it starts. */
const PT_INTERP = 3;
const MACHINES: Readonly<Record<Arch, number>> = { amd64: 62, arm64: 183 };
const EXECUTABLE: readonly number[] = [2, 3];

/** Refuses what is no static program for this processor: it would not start in an image with nothing beside it. */
export async function mustBeStatic(file: string, program: string, arch: Arch): Promise<void> {
  const handle = await open(file, 'r');
  try {
    const head = Buffer.alloc(HEADER);
    const { bytesRead } = await handle.read(head, 0, HEADER, 0);
    const place = bytesRead < HEADER ? undefined : programHeaders(head);
    const table = Buffer.alloc(place?.bytes ?? 0);
    if (place !== undefined) await handle.read(table, 0, place.bytes, place.offset);
    const reason = whyNotStatic(head.subarray(0, bytesRead), table, arch);
    if (reason !== undefined) throw kubexmError('KX7038', { program, reason });
  } finally {
    await handle.close();
  }
}

/** What is wrong with a program, if anything is: from its header and its table of program headers. */
export function whyNotStatic(head: Buffer, table: Buffer, arch: Arch): string | undefined {
  if (head.length < HEADER || !head.subarray(0, 4).equals(MAGIC)) return 'it is no program (no ELF header)';
  if (head[4] !== 2 || head[5] !== 1) return 'it is not for a 64-bit little-endian processor';
  if (!EXECUTABLE.includes(head.readUInt16LE(16))) return 'it cannot be started (an object or a core file)';
  const machine = head.readUInt16LE(18);
  if (machine !== MACHINES[arch]) return `it is for another processor (${machine}) than ${arch}`;
  for (let at = 0; at + PROGRAM_HEADER <= table.length; at += PROGRAM_HEADER) {
    if (table.readUInt32LE(at) === PT_INTERP) return 'it is linked dynamically';
  }
  return undefined;
}

/** Where the table of program headers lies. */
function programHeaders(head: Buffer): { readonly offset: number; readonly bytes: number } {
  return { offset: Number(head.readBigUInt64LE(32)), bytes: head.readUInt16LE(56) * PROGRAM_HEADER };
}
