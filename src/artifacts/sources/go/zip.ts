import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

const inflate = promisify(inflateRaw);

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const MAX_COMMENT = 65535;
/** More than any toolchain or module: a zip that claims more is meant to fill the disk. */
const MAX_BYTES = 1024 ** 3;

interface Entry {
  readonly name: string;
  readonly packed: number;
  readonly bytes: number;
  readonly deflated: boolean;
  readonly offset: number;
}

/** A zip that is not as module proxies make them. */
export class ZipFailure extends Error {}

/**
 * Unpacks a module's zip, whose names all begin with `prefix`, and returns its `h1:` hash. The names in the directory come from
 * `place`. Nothing may be used before the hash was compared.
 */
export async function unpackModule(
  file: string,
  prefix: string,
  directory: string,
  place: (name: string) => { readonly name: string; readonly mode: number },
  progress: (done: number, total: number) => void,
): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const entries = await readEntries(handle);
    const lines: string[] = [];
    for (const [at, entry] of entries.entries()) {
      if (!entry.name.startsWith(prefix) || !isPlain(entry.name))
        throw new ZipFailure(`a file is called ${entry.name}`);
      const content = await read(handle, entry);
      lines.push(`${createHash('sha256').update(content).digest('hex')}  ${entry.name}\n`);
      const { name, mode } = place(entry.name.slice(prefix.length));
      const path = join(directory, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content, { mode, flag: 'wx' });
      progress(at + 1, entries.length);
    }
    return dirHash(lines);
  } finally {
    await handle.close();
  }
}

/** The hash over files that go.sum holds: of lines with each file's digest and name, in the order of the names. */
function dirHash(lines: readonly string[]): string {
  const named = lines.map((line) => ({ line, name: line.slice(line.indexOf('  ') + 2) }));
  named.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  const hash = createHash('sha256');
  for (const { line } of named) hash.update(line);
  return `h1:${hash.digest('base64')}`;
}

function isPlain(name: string): boolean {
  return (
    !name.endsWith('/') && !/[\\\0\n]/.test(name) && name.split('/').every((part) => !['', '.', '..'].includes(part))
  );
}

async function readEntries(handle: FileHandle): Promise<readonly Entry[]> {
  const { size } = await handle.stat();
  const tail = await bytesAt(
    handle,
    Math.max(0, size - END_BYTES - MAX_COMMENT),
    Math.min(size, END_BYTES + MAX_COMMENT),
  );
  const at = lastIndexOf(tail, END);
  if (at < 0) throw new ZipFailure('it is no zip, or not whole');
  const count = tail.readUInt16LE(at + 10);
  const table = await bytesAt(handle, tail.readUInt32LE(at + 16), tail.readUInt32LE(at + 12));
  const entries: Entry[] = [];
  let total = 0;
  for (let from = 0; from < table.length; ) {
    if (table.length < from + 46 || table.readUInt32LE(from) !== CENTRAL) throw new ZipFailure('its table is damaged');
    const [names, extras, comments] = [28, 30, 32].map((field) => table.readUInt16LE(from + field));
    const method = table.readUInt16LE(from + 10);
    if (method !== 0 && method !== 8) throw new ZipFailure(`it is packed in an unknown way (${method})`);
    const entry = {
      name: table.toString('utf8', from + 46, from + 46 + (names ?? 0)),
      packed: table.readUInt32LE(from + 20),
      bytes: table.readUInt32LE(from + 24),
      deflated: method === 8,
      offset: table.readUInt32LE(from + 42),
    };
    total += entry.bytes;
    if (total > MAX_BYTES) throw new ZipFailure(`it unpacks to more than ${MAX_BYTES} bytes`);
    entries.push(entry);
    from += 46 + (names ?? 0) + (extras ?? 0) + (comments ?? 0);
  }
  if (entries.length !== count) throw new ZipFailure('its table is not whole');
  return entries;
}

async function read(handle: FileHandle, entry: Entry): Promise<Buffer> {
  const head = await bytesAt(handle, entry.offset, 30);
  if (head.readUInt32LE(0) !== LOCAL) throw new ZipFailure('its table is damaged');
  const start = entry.offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  const packed = await bytesAt(handle, start, entry.packed);
  const content = entry.deflated ? await unpacked(packed, entry) : packed;
  if (content.length !== entry.bytes) throw new ZipFailure(`${entry.name} is not as long as it says`);
  return content;
}

async function unpacked(packed: Buffer, entry: Entry): Promise<Buffer> {
  try {
    // Zero would mean no limit.
    return await inflate(packed, { maxOutputLength: Math.max(1, entry.bytes) });
  } catch (error) {
    throw new ZipFailure(`${entry.name} cannot be unpacked`, { cause: error });
  }
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  if (bytesRead !== length) throw new ZipFailure('it is not whole');
  return buffer;
}

function lastIndexOf(buffer: Buffer, mark: number): number {
  for (let at = buffer.length - END_BYTES; at >= 0; at -= 1) if (buffer.readUInt32LE(at) === mark) return at;
  return -1;
}
