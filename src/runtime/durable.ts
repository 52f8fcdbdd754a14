import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';

/** Replaces a private file: its content is on disk before its name leads there. Its name is when its directory is synced. */
export function replaceSynced(file: string, text: string): void {
  const next = `${file}.new`;
  writeSynced(next, text, 'w');
  renameSync(next, file);
}

/** Adds to a private file; it is on disk when this returns. */
export function appendSynced(file: string, text: string): void {
  writeSynced(file, text, 'a');
}

function writeSynced(file: string, text: string, flag: 'w' | 'a'): void {
  const fd = openSync(file, flag, 0o600);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
