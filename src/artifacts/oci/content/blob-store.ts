import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../../local/files.ts';
import { KubexmError, kubexmError } from '../../../model/errors/index.ts';
import { algorithmOf, type Digest, digestOf, finished, hasherFor, hexOf } from './digest.ts';
import { locked } from './lock.ts';
import { Part } from './part.ts';
import { writeError } from './write-error.ts';

/** A blob that is in a store. */
export interface Stored {
  readonly digest: Digest;
  readonly size: number;
}

/**
 * Blobs on disk under the hash of their bytes. A blob appears under its name only when it is whole, right and on disk, so any
 * number of processes may share a store; a process that needs a blob which another one fetches waits for it.
 */
export interface BlobStore {
  readonly dir: string;
  /** Where a blob is or would be. Its bytes are not checked. */
  path(digest: Digest): string;
  /** Its size, or undefined where it is not here. */
  sizeOf(digest: Digest): Promise<number | undefined>;
  /** The bytes of a small blob, checked. */
  bytes(digest: Digest): Promise<Buffer>;
  /** The bytes of a blob as they are read; throws at the end, and forgets the blob, where they are not right. */
  stream(digest: Digest): AsyncGenerator<Buffer>;
  /** Reads a blob through. A damaged one is removed; false means that it is not here, or not any more. */
  verify(digest: Digest): Promise<boolean>;
  put(data: Uint8Array | string): Promise<Stored>;
  /** Keeps a stream whose digest nobody knows yet. */
  write(source: AsyncIterable<Uint8Array>): Promise<Stored>;
  /** Fetches a blob unless it is here: `fetch` appends what is missing to what an earlier try has left. */
  ingest(digest: Digest, signal: AbortSignal, fetch: (part: Part) => Promise<void>): Promise<Stored>;
  /** Gives a blob a second name, as a hard link; false where the file system cannot. */
  linkTo(digest: Digest, file: string): Promise<boolean>;
  remove(digest: Digest): Promise<void>;
  /** Removes what killed processes left behind and nobody has touched for so long. */
  sweep(olderThanMs: number): Promise<void>;
}

/** Opens a store, and makes its directories. */
export async function openBlobStore(dir: string): Promise<BlobStore> {
  await writing(dir, async () => {
    for (const name of ['blobs/sha256', 'blobs/sha512', 'ingest', 'locks']) {
      await mkdir(join(dir, name), { recursive: true });
    }
  });
  return new DiskStore(dir);
}

class DiskStore implements BlobStore {
  readonly dir: string;
  private readonly arriving: string;
  private readonly locks: string;

  constructor(dir: string) {
    this.dir = dir;
    this.arriving = join(dir, 'ingest');
    this.locks = join(dir, 'locks');
  }

  path(digest: Digest): string {
    return join(this.dir, 'blobs', algorithmOf(digest), hexOf(digest));
  }

  async sizeOf(digest: Digest): Promise<number | undefined> {
    return await stat(this.path(digest)).then(
      (found) => found.size,
      () => undefined,
    );
  }

  async bytes(digest: Digest): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.stream(digest)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async *stream(digest: Digest): AsyncGenerator<Buffer> {
    const hash = hasherFor(digest);
    try {
      for await (const chunk of createReadStream(this.path(digest), { highWaterMark: 1 << 20 })) {
        hash.update(chunk as Buffer);
        yield chunk as Buffer;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw kubexmError('KX7120', { digest, store: this.dir }, { cause: error });
    }
    if (finished(hash, digest) === digest) return;
    await this.remove(digest);
    throw kubexmError('KX7121', { digest, store: this.dir });
  }

  async verify(digest: Digest): Promise<boolean> {
    try {
      for await (const _ of this.stream(digest));
      return true;
    } catch (error) {
      if (error instanceof KubexmError && (error.code === 'KX7120' || error.code === 'KX7121')) return false;
      throw error;
    }
  }

  async put(data: Uint8Array | string): Promise<Stored> {
    const bytes = Buffer.from(data);
    const digest = digestOf(bytes);
    // Verified, not only looked for: this call replaces a damaged blob.
    if ((await this.sizeOf(digest)) === bytes.length && (await this.verify(digest))) {
      return { digest, size: bytes.length };
    }
    return await this.write(
      (async function* () {
        yield bytes;
      })(),
    );
  }

  async write(source: AsyncIterable<Uint8Array>): Promise<Stored> {
    const file = join(this.arriving, `${randomUUID()}.new`);
    return await writing(file, async () => {
      try {
        const part = await Part.open(file, 'sha256:');
        try {
          for await (const chunk of source) await part.append(chunk);
          const digest = part.digest();
          await this.keep(part, file, digest);
          return { digest, size: part.size };
        } finally {
          await part.close();
        }
      } finally {
        await rm(file, { force: true });
      }
    });
  }

  async ingest(digest: Digest, signal: AbortSignal, fetch: (part: Part) => Promise<void>): Promise<Stored> {
    const lock = join(this.locks, hexOf(digest).slice(0, 3));
    return await locked(lock, signal, async () => {
      const here = await this.sizeOf(digest);
      if (here !== undefined) return { digest, size: here };
      const file = join(this.arriving, `${algorithmOf(digest)}-${hexOf(digest)}.part`);
      return await writing(file, async () => {
        const part = await Part.open(file, digest);
        try {
          await fetch(part);
          const got = part.digest();
          if (got !== digest) {
            await part.reset();
            throw kubexmError('KX7121', { digest, store: this.dir }, { detail: `its digest is ${got}` });
          }
          await this.keep(part, file, digest);
          return { digest, size: part.size };
        } finally {
          await part.close();
        }
      });
    });
  }

  async linkTo(digest: Digest, file: string): Promise<boolean> {
    try {
      await link(this.path(digest), file);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EXDEV' || code === 'EPERM' || code === 'EMLINK' || code === 'ENOTSUP') return false;
      if (code === 'ENOENT' && (await this.sizeOf(digest)) === undefined) {
        throw kubexmError('KX7120', { digest, store: this.dir }, { cause: error });
      }
      throw error;
    }
  }

  async remove(digest: Digest): Promise<void> {
    await rm(this.path(digest), { force: true });
  }

  async sweep(olderThanMs: number): Promise<void> {
    for (const name of await readdir(this.arriving)) {
      const file = join(this.arriving, name);
      const found = await stat(file).catch(() => undefined);
      if (found !== undefined && Date.now() - found.mtimeMs > olderThanMs) await rm(file, { force: true });
    }
  }

  /** Gives a finished file its name. A faster process has put the same bytes there. */
  private async keep(part: Part, file: string, digest: Digest): Promise<void> {
    const path = this.path(digest);
    await part.sync();
    await rename(file, path);
    await part.protect();
    await syncDirectory(dirname(path));
  }
}

/** Runs work that writes, and names the path where the file system refuses. */
async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw writeError(error, path);
  }
}
