import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { programEnv } from './run.ts';

/** Held until released, or until this process and every program that was given `fd` has ended. */
export interface Lock {
  readonly fd: number;
  release(options?: { readonly removeFile?: boolean }): void;
}

/**
 * Takes the lock on a file, the system's own, and waits for it. It belongs to the open file, not to the process: programs that
 * inherit it hold it too, so nothing that a killed kubexm began can go on while somebody else cleans up.
 */
export async function takeLock(
  path: string,
  options: { signal?: AbortSignal; onWait?: () => void } = {},
): Promise<Lock> {
  for (;;) {
    options.signal?.throwIfAborted();
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const fd = openSync(path, 'a', 0o600);
    try {
      if (!(await flock(fd, ['-n'], options.signal))) {
        options.onWait?.();
        await flock(fd, [], options.signal);
      }
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    // The previous holder may have removed the file meanwhile: then this is a lock on nothing.
    if (isSameFile(fd, path)) return lockOf(fd, path);
    closeSync(fd);
  }
}

function lockOf(fd: number, path: string): Lock {
  let held = true;
  return {
    fd,
    release: ({ removeFile = false } = {}) => {
      if (!held) return;
      held = false;
      if (removeFile) rmSync(path, { force: true });
      closeSync(fd);
    },
  };
}

function flock(fd: number, flags: readonly string[], signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn('flock', [...flags, '3'], {
      env: programEnv(),
      stdio: ['ignore', 'ignore', 'ignore', fd],
      ...(signal && { signal }),
    });
    child.once('error', (error) => reject(signal?.aborted ? signal.reason : error));
    child.once('exit', (code) => {
      if (code === 0 || code === 1) resolve(code === 0);
      else reject(new Error(`flock ended with ${code}`));
    });
  });
}

function isSameFile(fd: number, path: string): boolean {
  try {
    const [a, b] = [fstatSync(fd), statSync(path)];
    return a.ino === b.ino && a.dev === b.dev;
  } catch {
    return false;
  }
}
