import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync } from 'node:fs';
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

/** Why a system call failed, for people: without the path, which the message has already. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message.replace(/, \w+ '.*'$/, '');
}
