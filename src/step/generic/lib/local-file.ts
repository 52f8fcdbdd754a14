import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Whether this machine has the file with this size and sha256. Reads it only when the size is right. */
export function hasFile(path: string, size: number, sha256: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return false;
  }
  try {
    if (fstatSync(fd).size !== size) return false;
    const hash = createHash('sha256');
    const buffer = Buffer.alloc(1024 * 1024);
    for (let n = readSync(fd, buffer); n > 0; n = readSync(fd, buffer)) hash.update(buffer.subarray(0, n));
    return hash.digest('hex') === sha256;
  } catch {
    return false;
  } finally {
    closeSync(fd);
  }
}
