import {
  chownSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kubexmError } from '../model/errors/index.ts';
import { WORK_DIR } from './work-dir.ts';

/** Why a file must not be changed. */
export class UnfitFile extends Error {}

/** How long kubectl, which holds its lock for a moment, is waited for. */
const LOCK_SECONDS = 5;

/** The kubeconfig of a cluster of kubexm, as far as its name tells. */
const FETCHED = new RegExp(`/${WORK_DIR.replace('.', '\\.')}/[^/]+/kubeconfig$`);

/** Whether there is nothing at a path; a path that cannot be looked at is an error. */
export function isMissing(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined;
}

/** Refuses one of the kubeconfigs that kubexm fetched itself: it is replaced by the next run. */
export function refuseFetched(file: string, fetched: string): void {
  const [a, b] = [file, fetched].map((path) => statSync(path, { throwIfNoEntry: false }));
  const real = a === undefined ? file : realpathSync(file);
  if (FETCHED.test(file) || FETCHED.test(real) || (a !== undefined && a.ino === b?.ino && a.dev === b.dev))
    throw new UnfitFile('it is the kubeconfig of a cluster of kubexm; unset KUBECONFIG or name another file');
}

/** Reads a person's kubeconfig, which may not be there yet. `real`: with links followed. */
export function readKubeconfigFile(file: string): {
  readonly text: string;
  readonly real: string;
  readonly exists: boolean;
} {
  const exists = !isMissing(file);
  if (exists && statSync(file, { throwIfNoEntry: false }) === undefined)
    throw new UnfitFile('it is a link to a file that is not there');
  const real = exists ? realpathSync(file) : file;
  if (real.startsWith('/etc/kubernetes/')) throw new UnfitFile(`it leads to ${real}, which is the control plane's own`);
  return { text: exists ? readFileSync(real, 'utf8') : '', real, exists };
}

/** Changes a kubeconfig as a whole or not at all, while nobody else does: kubectl respects the same lock. Undefined: it goes. */
export async function changeFile(
  file: string,
  change: (text: string, exists: boolean) => string | undefined,
): Promise<void> {
  readKubeconfigFile(file);
  makeDirectory(dirname(file));
  const lock = `${file}.lock`;
  await takeLock(file, lock);
  try {
    const { text, real, exists } = readKubeconfigFile(file);
    const next = change(text, exists);
    if (next === undefined) rmSync(real);
    if (next === undefined || next === text) return;
    writeBeside(real, next, exists ? real : dirname(real));
  } finally {
    rmSync(lock, { force: true });
  }
}

function writeBeside(file: string, text: string, owner: string): void {
  const part = `${file}.${process.pid}`;
  try {
    writeFileSync(part, text, { mode: 0o600 });
    giveTo(part, owner);
    renameSync(part, file);
  } finally {
    rmSync(part, { force: true });
  }
}

/** Whatever is made for somebody else, as with sudo, is theirs: it gets the owner of what was there before. */
function makeDirectory(dir: string): void {
  const first = mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = dir; made.length >= first.length; made = dirname(made)) giveTo(made, dirname(first));
}

function giveTo(path: string, like: string): void {
  const { uid, gid } = statSync(like);
  if (process.getuid?.() === 0) chownSync(path, uid, gid);
}

async function takeLock(file: string, lock: string): Promise<void> {
  const until = Date.now() + LOCK_SECONDS * 1000;
  for (;;) {
    try {
      return closeSync(openSync(lock, 'wx', 0o600));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (Date.now() >= until) throw kubexmError('KX4714', { file, lock }, { cause: error });
    }
    await sleep(100);
  }
}
