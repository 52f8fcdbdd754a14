import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, readFile, rm, writeFile } from 'node:fs/promises';
import type { Answer } from './exchange.ts';
import type { Sink } from './transfer.ts';

/** What a part of a file belongs to. */
interface PartNote {
  /** A digest of the address: it may hold a password. */
  readonly from: string;
  /** A strong ETag or a date. */
  readonly validator?: string;
  readonly total?: number;
}

/** A file that grows beside its final name, and a note of where its bytes are from. A later process can go on with both. */
export class FilePart implements Sink {
  readonly file: string;
  private readonly noteFile: string;
  private readonly handle: FileHandle;
  private readonly algorithms: readonly string[];
  private hashes: readonly Hash[] = [];
  private bytes = 0;
  private note: PartNote | undefined;

  private constructor(path: string, handle: FileHandle, algorithms: readonly string[]) {
    this.file = `${path}.part`;
    this.noteFile = `${path}.part.json`;
    this.handle = handle;
    this.algorithms = algorithms;
  }

  /** Opens the part of a file that will have this path, and reads what is there already. Bytes of unknown origin are dropped. */
  static async open(path: string, algorithms: readonly ('sha256' | 'sha512')[]): Promise<FilePart> {
    const handle = await open(`${path}.part`, 'a+', 0o600);
    const part = new FilePart(path, handle, algorithms);
    try {
      part.note = await readNote(part.noteFile);
      if (part.note === undefined) await part.reset();
      else await part.readBack();
      return part;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  get size(): number {
    return this.bytes;
  }

  /** How long the file was when its beginning came from this address. */
  totalFrom(url: URL): number | undefined {
    return this.note?.from === idOf(url) ? this.note.total : undefined;
  }

  /** What tells this address whether its file is still the one whose beginning is here. */
  validatorFrom(url: URL): string | undefined {
    return this.note?.from === idOf(url) ? this.note.validator : undefined;
  }

  /** Notes where the bytes that follow are from. */
  async belongsTo(url: URL, answer: Answer, total: number | undefined): Promise<void> {
    const { etag, 'last-modified': modified } = answer.headers;
    const validator = etag !== undefined && !etag.startsWith('W/') ? etag : modified;
    this.note = {
      from: idOf(url),
      ...(validator === undefined ? {} : { validator }),
      ...(total === undefined ? {} : { total }),
    };
    await writeFile(this.noteFile, JSON.stringify(this.note), { mode: 0o600 });
  }

  async append(chunk: Uint8Array): Promise<void> {
    // A write may be short: what it took is ours already, so the rest goes right behind it.
    for (let done = 0; done < chunk.length; ) {
      const { bytesWritten } = await this.handle.write(chunk, done, chunk.length - done);
      this.take(chunk.subarray(done, done + bytesWritten));
      done += bytesWritten;
    }
  }

  async reset(): Promise<void> {
    await this.handle.truncate(0);
    this.begin();
  }

  /** The digest of what there is so far, in hex. */
  hex(algorithm: 'sha256' | 'sha512'): string {
    const hash = this.hashes[this.algorithms.indexOf(algorithm)];
    if (hash === undefined) throw new Error(`this part was not opened for ${algorithm}`);
    return hash.copy().digest('hex');
  }

  /** Makes sure that all of it is on disk. */
  async sync(): Promise<void> {
    await this.handle.sync();
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  /** Forgets what came so far. */
  async drop(): Promise<void> {
    await rm(this.file, { force: true });
    await rm(this.noteFile, { force: true });
  }

  private async readBack(): Promise<void> {
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

function idOf(url: URL): string {
  return createHash('sha256').update(url.href).digest('hex');
}

async function readNote(file: string): Promise<PartNote | undefined> {
  try {
    const note: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof note === 'object' && note !== null && 'from' in note ? (note as PartNote) : undefined;
  } catch {
    return undefined;
  }
}
