import { kubexmError } from '../../../model/errors/index.ts';

/** One member of an archive. Owner, group and time are not its own: they are the archive's. */
export interface TarEntry {
  /** Relative, without a slash at either end. */
  readonly path: string;
  readonly mode: number;
  readonly content:
    | { readonly kind: 'directory' }
    | { readonly kind: 'link'; readonly target: string }
    | { readonly kind: 'file'; readonly size: number; readonly read: () => AsyncIterable<Uint8Array> };
}

/** What all members of an archive share. */
export interface TarOptions {
  /** Seconds since 1970, for every member. */
  readonly mtime?: number;
}

const BLOCK = 512;
/** Larger sizes do not fit into eleven octal digits. */
const SIZE_MAX = 0o77777777777;
const TYPES = { file: '0', link: '2', directory: '5', pax: 'x' } as const;

/**
 * Writes an archive whose bytes depend on names, modes and contents only: sorted, owned by root, one time for all. The form is
 * ustar; names that do not fit into it get a pax header.
 */
export async function* tar(entries: readonly TarEntry[], options: TarOptions = {}): AsyncGenerator<Uint8Array> {
  const mtime = options.mtime ?? 0;
  for (const entry of sortedByName(entries)) {
    yield* headers(entry, mtime);
    if (entry.content.kind !== 'file') continue;
    const { size } = entry.content;
    let written = 0;
    for await (const chunk of entry.content.read()) {
      written += chunk.length;
      if (written > size) break;
      yield chunk;
    }
    if (written !== size) throw kubexmError('KX7123', { path: entry.path, reason: 'it changed while it was read' });
    if (size % BLOCK !== 0) yield Buffer.alloc(BLOCK - (size % BLOCK));
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** By the bytes of their names: the same order in every locale, and a directory before what is in it. */
function sortedByName(entries: readonly TarEntry[]): readonly TarEntry[] {
  return entries
    .map((entry) => ({ entry, key: Buffer.from(entry.path) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ entry }) => entry);
}

function* headers(entry: TarEntry, mtime: number): Generator<Uint8Array> {
  const { content } = entry;
  const name = content.kind === 'directory' ? `${entry.path}/` : entry.path;
  const target = content.kind === 'link' ? content.target : '';
  const size = content.kind === 'file' ? content.size : 0;
  const pax = [
    ...(fits(name) ? [] : [record('path', name)]),
    ...(fits(target) ? [] : [record('linkpath', target)]),
    ...(size <= SIZE_MAX ? [] : [record('size', String(size))]),
  ];
  if (pax.length > 0) {
    const data = Buffer.concat(pax);
    yield header({ name: 'PaxHeader', mode: 0o644, size: data.length, mtime, type: TYPES.pax, target: '' });
    yield data;
    if (data.length % BLOCK !== 0) yield Buffer.alloc(BLOCK - (data.length % BLOCK));
  }
  yield header({
    name: fits(name) ? name : shortened(name),
    mode: entry.mode,
    size: size <= SIZE_MAX ? size : 0,
    mtime,
    type: TYPES[content.kind],
    target: fits(target) ? target : shortened(target),
  });
}

interface HeaderFields {
  readonly name: string;
  readonly mode: number;
  readonly size: number;
  readonly mtime: number;
  readonly type: string;
  readonly target: string;
}

function header(fields: HeaderFields): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number) =>
    block.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  block.write(fields.name, 0, 'latin1');
  octal(fields.mode & 0o7777, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(fields.size, 124, 11);
  octal(fields.mtime, 136, 11);
  block.write('        ', 148, 'latin1');
  block.write(fields.type, 156, 'latin1');
  block.write(fields.target, 157, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  octal(0, 329, 7);
  octal(0, 337, 7);
  const sum = block.reduce((total, byte) => total + byte, 0);
  octal(sum, 148, 6);
  block.write('\x00 ', 154, 'latin1');
  return block;
}

/** Whether a name can stand in the header itself: short, and readable alike by everybody. */
function fits(name: string): boolean {
  return name.length <= 100 && /^[\x20-\x7e]*$/.test(name);
}

/** What readers that know no pax headers see. */
function shortened(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '_').slice(0, 100);
}

/** `length key=value\n`, where the length counts its own digits. */
function record(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}
