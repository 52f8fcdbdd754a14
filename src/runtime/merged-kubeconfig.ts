import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { kubexmError } from '../model/errors/index.ts';
import { type Merged, mergeEntries, removeEntries, TakenName, UnfitKubeconfig } from './kubeconfig-entries.ts';
import { workDirOf } from './work-dir.ts';

/** A cluster whose kubeconfig is meant. */
export interface KubeconfigPlace {
  readonly cluster: string;
  /** Where its `.kubexm` is. */
  readonly baseDir: string;
}

/** What is kept of a merge: never a key. */
interface Kept extends Merged {
  readonly file: string;
  /** There was no such file before. */
  readonly made: boolean;
}

/** The administrator's kubeconfig, as `create cluster` fetched it. */
export function kubeconfigOf({ cluster, baseDir }: KubeconfigPlace): string {
  const file = join(workDirOf(baseDir, cluster).cluster, 'kubeconfig');
  if (!existsSync(file)) throw kubexmError('KX4711', { cluster });
  return file;
}

/** The kubeconfig of the person: the first file of KUBECONFIG, else `~/.kube/config`. */
export function userKubeconfig(env: NodeJS.ProcessEnv): string {
  const [first] = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  return first ?? join(env['HOME'] ?? homedir(), '.kube', 'config');
}

/** Puts a cluster into the person's kubeconfig and makes it the current one there. Returns the file. */
export function mergeKubeconfig(place: KubeconfigPlace, env: NodeJS.ProcessEnv): string {
  const kubeconfig = kubeconfigOf(place);
  const file = userKubeconfig(env);
  const known = keptOf(place);
  const made = known?.file === file ? known.made : !existsSync(file);
  changeFile(file, kubeconfig, (text) => {
    const admin = readFileSync(kubeconfig, 'utf8');
    const { text: next, merged } = mergeEntries(text, admin, place.cluster, known?.file === file ? known : undefined);
    // Before the file has it: what is taken out by digest does no harm where it never came.
    writeFileSync(keptFile(place), `${JSON.stringify({ ...merged, file, made } satisfies Kept)}\n`, { mode: 0o600 });
    return next;
  });
  return file;
}

/** What came of taking a cluster out of the person's kubeconfig. */
export interface Unmerged {
  readonly file: string;
  /** What was changed since and stays: `cluster`, `user`, `context`. */
  readonly left: readonly string[];
}

/** Takes out what `mergeKubeconfig` put in; undefined where nothing was. */
export function unmergeKubeconfig(place: KubeconfigPlace): Unmerged | undefined {
  const kept = keptOf(place);
  if (kept === undefined) return undefined;
  let left: readonly string[] = [];
  let goes = false;
  if (existsSync(kept.file)) {
    changeFile(kept.file, '–', (text) => {
      const removed = removeEntries(text, kept);
      left = removed.left;
      goes = kept.made && removed.isEmpty;
      return removed.text;
    });
  }
  // What was made for it and has nothing more in it goes.
  if (goes) rmSync(kept.file, { force: true });
  rmSync(keptFile(place), { force: true });
  return { file: kept.file, left };
}

function keptFile({ cluster, baseDir }: KubeconfigPlace): string {
  return join(workDirOf(baseDir, cluster).cluster, 'merged-kubeconfig.json');
}

function keptOf(place: KubeconfigPlace): Kept | undefined {
  try {
    return JSON.parse(readFileSync(keptFile(place), 'utf8')) as Kept;
  } catch {
    return undefined;
  }
}

/** Changes a kubeconfig as a whole or not at all, while nobody else does: kubectl respects the same lock. */
function changeFile(file: string, kubeconfig: string, change: (text: string) => string): void {
  const refuse = (reason: string) => kubexmError('KX4710', { file, reason, kubeconfig });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const real = existsSync(file) ? realpathSync(file) : file;
  if (real.startsWith('/etc/kubernetes/')) throw refuse(`it leads to ${real}, which is the control plane's own`);
  const lock = `${file}.lock`;
  try {
    closeSync(openSync(lock, 'wx', 0o600));
  } catch (error) {
    throw refuse(existsSync(lock) ? `${lock} says that another program changes it` : String(error));
  }
  const part = `${real}.${process.pid}`;
  try {
    const text = existsSync(real) ? readFileSync(real, 'utf8') : '';
    const next = change(text);
    if (next === text) return;
    writeFileSync(part, next, { mode: 0o600 });
    // Changed for somebody else, as with sudo, it stays theirs.
    const { uid, gid } = statSync(existsSync(real) ? real : dirname(real));
    if (process.getuid?.() === 0) chownSync(part, uid, gid);
    renameSync(part, real);
  } catch (error) {
    if (error instanceof TakenName)
      throw kubexmError('KX4712', { file, kubeconfig, what: error.what, name: error.taken });
    if (error instanceof UnfitKubeconfig) throw refuse(error.message);
    throw error instanceof Error && 'code' in error ? refuse(error.message) : error;
  } finally {
    rmSync(part, { force: true });
    rmSync(lock, { force: true });
  }
}
