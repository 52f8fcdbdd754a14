import { chmodSync, closeSync, constants, fchmodSync, fstatSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Opens a file for appending that only its owner can read, also when it was there with wider rights. Follows no link. */
export function openPrivate(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const fd = openSync(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    // Not for devices: /dev/stdout and the like belong to everybody.
    if (fstatSync(fd).isFile()) fchmodSync(fd, 0o600);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return fd;
}

/**
 * Makes sure that a file is there and only its owner can read it, without opening one that exists: closing it again would drop
 * the locks that this process holds on it.
 */
export function makePrivate(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) closeSync(openPrivate(path));
  else if (found.isSymbolicLink()) throw new Error('it is a symbolic link');
  else if (found.isFile() && (found.mode & 0o777) !== 0o600) chmodSync(path, 0o600);
}

/** Why a system call failed, for people: without the path, which the message has already. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message.replace(/, \w+ '.*'$/, '');
}
