import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, parse, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kubexmError } from '../model/errors/index.ts';
import { WORK_DIR } from '../state/work-dir.ts';
import { HeldDirectory, UnfitFile } from './held-directory.ts';

/** As many as the kernel follows. */
const MAX_LINKS = 40;

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

/** The text of a person's kubeconfig; empty where there is none yet. */
export function readKubeconfigFile(file: string): string {
  const real = leadsTo(file);
  return isMissing(real) ? '' : inDirectory(real, (dir, name) => dir.read(name)?.text ?? '');
}

/** A kubeconfig's path with links followed, if it may be used. */
function leadsTo(file: string): string {
  const exists = !isMissing(file);
  if (exists && statSync(file, { throwIfNoEntry: false }) === undefined)
    throw new UnfitFile('it is a link to a file that is not there');
  const real = checkedPath(file);
  if (real.startsWith('/etc/kubernetes/')) throw new UnfitFile(`it leads to ${real}, which is the control plane's own`);
  return real;
}

/** Changes a kubeconfig as a whole or not at all, while nobody else does: kubectl respects the same lock. Undefined: it goes. */
export async function changeFile(
  file: string,
  change: (text: string, exists: boolean) => string | undefined,
): Promise<void> {
  leadsTo(file);
  // As kubectl does, beside the name that was given, wherever that leads.
  const beside = makeDirectory(checkedPath(dirname(file)));
  try {
    await takeLock(file, beside);
    try {
      inDirectory(leadsTo(file), (dir, name) => {
        const found = dir.read(name);
        const next = change(found?.text ?? '', found !== undefined);
        if (next === undefined) dir.remove(name);
        else if (next !== (found?.text ?? '')) dir.replace(name, next, found?.owner ?? dir.owner);
      });
    } finally {
      beside.remove(lockOf(file));
    }
  } finally {
    beside.close();
  }
}

/** `path` has no links: HeldDirectory refuses one that came meanwhile. */
function inDirectory<T>(path: string, work: (dir: HeldDirectory, name: string) => T): T {
  const dir = HeldDirectory.open(dirname(path));
  try {
    return work(dir, basename(path));
  } finally {
    dir.close();
  }
}

/**
 * A path with its links followed one by one, each checked when it is followed: only the path that was checked may be used, for a link
 * can lead elsewhere a moment later.
 */
function checkedPath(path: string): string {
  const whole = isAbsolute(path) ? path : join(process.cwd(), path);
  const { root } = parse(whole);
  let at = root;
  let links = 0;
  const left = whole.slice(root.length).split(sep);
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const next = join(at, name);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() !== true) {
      at = next;
      continue;
    }
    if (++links > MAX_LINKS) throw new UnfitFile(`${path} leads through too many links`);
    const led = readlinkSync(next);
    refusePlanted(next, found.uid, isAbsolute(led) ? led : `${at}${sep}${led}`);
    left.unshift(...led.split(sep));
    if (isAbsolute(led)) at = root;
  }
  return at;
}

/**
 * Root follows links of others only to what is theirs: else anybody whose kubeconfig root changes could have root read and replace
 * files of somebody else.
 */
function refusePlanted(link: string, uid: number, target: string): void {
  if (process.getuid?.() !== 0 || uid === 0) return;
  const led = statSync(target, { throwIfNoEntry: false });
  if (led !== undefined && led.uid !== uid)
    throw new UnfitFile(`${link} is a link that leads to ${target}, which belongs to another user`);
}

/**
 * A directory by its path without links, made where it is missing; must be closed. What is made for somebody else, as with sudo, is
 * theirs: it gets the owner of the directory that was there before.
 */
function makeDirectory(path: string): HeldDirectory {
  const missing: string[] = [];
  let above = path;
  for (; isMissing(above); above = dirname(above)) missing.unshift(basename(above));
  let dir = HeldDirectory.open(above);
  for (const name of missing) {
    const parent = dir;
    try {
      dir = parent.make(name);
    } finally {
      parent.close();
    }
  }
  return dir;
}

function lockOf(file: string): string {
  return `${basename(file)}.lock`;
}

async function takeLock(file: string, beside: HeldDirectory): Promise<void> {
  const until = Date.now() + LOCK_SECONDS * 1000;
  for (;;) {
    try {
      return beside.claim(lockOf(file));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (Date.now() >= until) throw kubexmError('KX4714', { file, lock: `${file}.lock` }, { cause: error });
    }
    await sleep(100);
  }
}
