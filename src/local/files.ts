import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';

/** How a file is replaced. */
export interface Replacing {
  /** Default: only its owner can read it. */
  readonly mode?: number;
  /** It may be lost with the machine, though never be half written: nothing waits for the disk. Default false. */
  readonly isNote?: boolean;
  /** Where it is written first. Default: always the same name, so that the next run takes away what a killed one left. */
  readonly draft?: string;
}

/**
 * Replaces a file: readers see the old text or the new one, whatever happens to this process. The content is on disk before its name
 * leads there; the name is when the directory is synced.
 */
export function replaceFileSync(file: string, text: string, options: Replacing = {}): void {
  const { mode = 0o600, isNote = false, draft = `${file}.new` } = options;
  try {
    const fd = openSync(draft, 'w', mode);
    try {
      writeFileSync(fd, text);
      if (!isNote) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The same without keeping others from working meanwhile. */
export async function replaceFile(file: string, text: string, options: Replacing = {}): Promise<void> {
  const { mode = 0o600, isNote = false, draft = `${file}.new` } = options;
  try {
    const handle = await open(draft, 'w', mode);
    try {
      await handle.writeFile(text);
      if (!isNote) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Makes the names in a directory durable: a new file's name is on disk only when its directory is. */
export function syncDirectorySync(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The same without keeping others from working meanwhile. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
