import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { kubexmError } from '../../model/errors/index.ts';
import type { Source, SupplyIo } from '../cache/types.ts';
import { type Extent, membersOf, streamOf } from './disk/bundle-file.ts';
import { INDEX, INDEX_MAX } from './disk/index-file.ts';
import { diskSource } from './disk/source.ts';
import { ArchiveProblem } from './tar/header.ts';

/** A bundle: one file. */
export interface BundleOptions {
  readonly path: string;
  /** Of the whole file, in hex. Without it every item is still checked against the bundle's own index. */
  readonly sha256?: string | undefined;
}

/** A plain tar with an `index.json` and blobs. Items are read out of it one by one; it is never unpacked. */
export function bundle({ path, sha256 }: BundleOptions): Source {
  let scanned: Promise<ReadonlyMap<string, Extent>> | undefined;
  const members = (): Promise<ReadonlyMap<string, Extent>> => (scanned ??= membersOf(path));
  const member = async (name: string): Promise<Extent> => {
    const found = (await members()).get(name);
    if (found === undefined) throw new ArchiveProblem(`it has no ${name}`);
    return found;
  };
  return diskSource({
    name: `bundle ${path}`,
    path,
    index: async () => {
      const extent = await member(INDEX);
      if (extent.size > INDEX_MAX) throw new ArchiveProblem(`its ${INDEX} is too long`);
      const chunks: Buffer[] = [];
      for await (const chunk of streamOf(path, extent)) chunks.push(chunk);
      return Buffer.concat(chunks).toString('utf8');
    },
    ...(sha256 === undefined ? {} : { checked: (io: SupplyIo) => checkDigest(path, sha256, io) }),
    sizeOf: async (blob) => (await members()).get(blob)?.size,
    read: async function* (blob, from) {
      yield* streamOf(path, await member(blob), from);
    },
  });
}

async function checkDigest(path: string, want: string, io: SupplyIo): Promise<void> {
  io.say(`checking ${path}`);
  const { size } = await stat(path);
  const hash = createHash('sha256');
  let done = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal: io.signal })) {
    hash.update(chunk as Buffer);
    done += (chunk as Buffer).length;
    io.progress(done, size);
  }
  const got = hash.digest('hex');
  if (got !== want.toLowerCase()) throw kubexmError('KX7078', { path, got, want });
}
