import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rm, writeFile } from 'node:fs/promises';
import type { Answer } from './exchange.ts';
import { type Algorithm, GrowingFile } from './growing-file.ts';

/** What a part of a file belongs to. */
interface PartNote {
  /** A digest of the address: it may hold a password. */
  readonly from: string;
  /** A strong ETag or a date. */
  readonly validator?: string;
  readonly total?: number;
}

/** A file that grows beside its final name, and a note of where its bytes are from. A later process can go on with both. */
export class FilePart extends GrowingFile {
  readonly file: string;
  private readonly noteFile: string;
  private note: PartNote | undefined;

  private constructor(path: string, handle: FileHandle, algorithms: readonly Algorithm[]) {
    super(handle, algorithms);
    this.file = `${path}.part`;
    this.noteFile = `${path}.part.json`;
  }

  /** Opens the part of a file that will have this path, and reads what is there already. Bytes of unknown origin are dropped. */
  static async open(path: string, algorithms: readonly Algorithm[]): Promise<FilePart> {
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

  /** Forgets what came so far. */
  async drop(): Promise<void> {
    await rm(this.file, { force: true });
    await rm(this.noteFile, { force: true });
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
