import { closeSync, lstatSync, openSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, parse, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kubexmError } from '../model/errors/index.ts';
import { HeldDirectory, UnfitFile } from './held-directory.ts';
import { WORK_DIR } from './work-dir.ts';

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
  const real = exists ? realpathSync(file) : file;
  if (real.startsWith('/etc/kubernetes/')) throw new UnfitFile(`it leads to ${real}, which is the control plane's own`);
  refusePlanted(file);
  return real;
}

/** Changes a kubeconfig as a whole or not at all, while nobody else does: kubectl respects the same lock. Undefined: it goes. */
export async function changeFile(
  file: string,
  change: (text: string, exists: boolean) => string | undefined,
): Promise<void> {
  leadsTo(file);
  makeDirectory(dirname(file));
  const lock = `${file}.lock`;
  await takeLock(file, lock);
  try {
    inDirectory(leadsTo(file), (dir, name) => {
      const found = dir.read(name);
      const next = change(found?.text ?? '', found !== undefined);
      if (next === undefined) dir.remove(name);
      else if (next !== (found?.text ?? '')) dir.replace(name, next, found?.owner ?? dir.owner);
    });
  } finally {
    rmSync(lock, { force: true });
  }
}

function inDirectory<T>(path: string, work: (dir: HeldDirectory, name: string) => T): T {
  const dir = HeldDirectory.open(realpathSync(dirname(path)));
  try {
    return work(dir, basename(path));
  } finally {
    dir.close();
  }
}

/**
 * Root follows links of others only to what is theirs: else anybody whose kubeconfig root changes could have root read and replace
 * files of somebody else.
 */
function refusePlanted(file: string): void {
  if (process.getuid?.() !== 0) return;
  for (const { link, uid, target } of linksOn(file)) {
    const led = statSync(target, { throwIfNoEntry: false });
    if (uid !== 0 && led !== undefined && led.uid !== uid)
      throw new UnfitFile(`${link} is a link that leads to ${target}, which belongs to another user`);
  }
}

/** The links that a path leads through. */
function linksOn(path: string): { readonly link: string; readonly uid: number; readonly target: string }[] {
  const links: { readonly link: string; readonly uid: number; readonly target: string }[] = [];
  const { root } = parse(path);
  let at = root;
  const left = path.slice(root.length).split(sep);
  // A loop of links has been noticed before, where the file was looked for.
  for (let name = left.shift(); name !== undefined && links.length < MAX_LINKS; name = left.shift()) {
    const next = join(at, name);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() !== true) {
      at = next;
      continue;
    }
    const target = resolve(at, readlinkSync(next));
    links.push({ link: next, uid: found.uid, target });
    left.unshift(...target.slice(root.length).split(sep));
    at = root;
  }
  return links;
}

/** What is made for somebody else, as with sudo, is theirs: it gets the owner of the directory that was there before. */
function makeDirectory(path: string): void {
  const missing: string[] = [];
  let above = path;
  for (; isMissing(above); above = dirname(above)) missing.unshift(basename(above));
  let dir = HeldDirectory.open(realpathSync(above));
  try {
    for (const name of missing) {
      const made = dir.make(name);
      dir.close();
      dir = made;
    }
  } finally {
    dir.close();
  }
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
