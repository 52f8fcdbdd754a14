import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Sink } from './transfer.ts';

/** Hashes that files are known by. */
export type Algorithm = 'sha256' | 'sha512';

/** A file that is appended to and hashed on the way, and can be gone on with after a cut or a crash. */
export abstract class GrowingFile implements Sink {
  protected readonly handle: FileHandle;
  private readonly algorithms: readonly Algorithm[];
  private hashes: readonly Hash[];
  private bytes = 0;

  /** The handle must be open for reading and appending. */
  protected constructor(handle: FileHandle, algorithms: readonly Algorithm[]) {
    this.handle = handle;
    this.algorithms = algorithms;
    this.hashes = algorithms.map((name) => createHash(name));
  }

  /** How many bytes there are. */
  get size(): number {
    return this.bytes;
  }

  async append(chunk: Uint8Array): Promise<void> {
    // A write may be short: what it took is ours already, so the rest goes right behind it.
    for (let done = 0; done < chunk.length; ) {
      const { bytesWritten } = await this.handle.write(chunk, done, chunk.length - done);
      this.take(chunk.subarray(done, done + bytesWritten));
      done += bytesWritten;
    }
  }

  /** Begins again. */
  async reset(): Promise<void> {
    await this.handle.truncate(0);
    this.begin();
  }

  /** The digest of what there is so far, in hex. */
  hex(algorithm: Algorithm): string {
    const hash = this.hashes[this.algorithms.indexOf(algorithm)];
    if (hash === undefined) throw new Error(`this file was not opened for ${algorithm}`);
    return hash.copy().digest('hex');
  }

  /** Makes sure that all of it is on disk. */
  async sync(): Promise<void> {
    await this.handle.sync();
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  /** Reads what is there already. */
  protected async readBack(): Promise<void> {
    this.begin();
    const buffer = Buffer.alloc(1 << 20);
    for (;;) {
      const { bytesRead } = await this.handle.read(buffer, 0, buffer.length, this.bytes);
      if (bytesRead === 0) return;
      this.take(buffer.subarray(0, bytesRead));
    }
  }

  private begin(): void {
    this.hashes = this.algorithms.map((name) => createHash(name));
    this.bytes = 0;
  }

  private take(chunk: Uint8Array): void {
    for (const hash of this.hashes) hash.update(chunk);
    this.bytes += chunk.length;
  }
}
