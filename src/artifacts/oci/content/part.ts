import { type FileHandle, open } from 'node:fs/promises';
import { GrowingFile } from '../../../http/growing-file.ts';
import { algorithmOf, type Digest } from './digest.ts';

/** A blob that is growing. */
export class Part extends GrowingFile {
  private readonly like: Digest;

  private constructor(handle: FileHandle, like: Digest) {
    super(handle, [algorithmOf(like)]);
    this.like = like;
  }

  /** Opens a part, and reads what is there already. The caller holds the blob's lock, or the only name of the file. */
  static async open(file: string, like: Digest): Promise<Part> {
    const handle = await open(file, 'a+', 0o644);
    const part = new Part(handle, like);
    try {
      await part.readBack();
      return part;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The digest of what there is so far. */
  digest(): Digest {
    const algorithm = algorithmOf(this.like);
    return `${algorithm}:${this.hex(algorithm)}`;
  }

  /** From now on only to be read. Not before the blob has its name: a part that cannot be opened again could not grow. */
  async protect(): Promise<void> {
    await this.handle.chmod(0o444);
  }
}
