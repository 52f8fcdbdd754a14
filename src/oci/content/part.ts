import type { Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { type Digest, finished, hasherFor } from './digest.ts';

/** A blob that is growing: appended to, hashed on the way, and there again after a cut or a crash. */
export class Part {
  private readonly handle: FileHandle;
  private readonly like: Digest;
  private hash: Hash;
  private bytes: number;

  private constructor(handle: FileHandle, like: Digest, hash: Hash, bytes: number) {
    this.handle = handle;
    this.like = like;
    this.hash = hash;
    this.bytes = bytes;
  }

  /** Opens a part, and reads what is there already. Whoever calls holds the blob's lock, or the only name of the file. */
  static async open(file: string, like: Digest): Promise<Part> {
    const handle = await open(file, 'a+', 0o644);
    try {
      const hash = hasherFor(like);
      let bytes = 0;
      const buffer = Buffer.alloc(1 << 20);
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, bytes);
        if (bytesRead === 0) break;
        hash.update(buffer.subarray(0, bytesRead));
        bytes += bytesRead;
      }
      return new Part(handle, like, hash, bytes);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** How many bytes there are. */
  get size(): number {
    return this.bytes;
  }

  async append(chunk: Uint8Array): Promise<void> {
    // A write may be short: what it took is ours already, so the rest goes right behind it.
    for (let done = 0; done < chunk.length; ) {
      const { bytesWritten } = await this.handle.write(chunk, done, chunk.length - done);
      this.hash.update(chunk.subarray(done, done + bytesWritten));
      done += bytesWritten;
      this.bytes += bytesWritten;
    }
  }

  /** Begins again. */
  async reset(): Promise<void> {
    await this.handle.truncate(0);
    this.hash = hasherFor(this.like);
    this.bytes = 0;
  }

  /** The digest of what there is so far. */
  digest(): Digest {
    return finished(this.hash.copy(), this.like);
  }

  /** Makes sure that all of it is on disk. */
  async sync(): Promise<void> {
    await this.handle.sync();
  }

  /** From now on only to be read. Not before the blob has its name: a part that cannot be opened again could not grow. */
  async protect(): Promise<void> {
    await this.handle.chmod(0o444);
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}
