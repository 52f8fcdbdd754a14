import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Creates or replaces a file atomically: readers see the old text or the new one, even after a power cut. */
export function replaceFile(file: string, text: string): void {
  const dir = dirname(file);
  const made = mkdirSync(dir, { recursive: true, mode: 0o700 });
  const next = `${file}.next`;
  const fd = openSync(next, 'w', 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(next, file);
  syncDir(dir);
  // The new directory's own name is in the one above.
  if (made !== undefined) syncDir(dirname(made));
}

function syncDir(dir: string): void {
  const fd = openSync(dir, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
