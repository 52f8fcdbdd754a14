import { existsSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { replaceFileSync } from '../local/files.ts';
import { type KubexmError, kubexmError } from '../model/errors/index.ts';
import { readContexts } from '../state/contexts.ts';
import { changedHosts } from '../state/manifests.ts';
import { requireOwnWorkDir, workDirOf } from '../state/work-dir.ts';
import { checkEntries, type Merged, mergeEntries, removeEntries, TakenName, UnfitKubeconfig } from './entries.ts';
import { changeFile, isMissing, readKubeconfigFile, refuseFetched } from './file.ts';
import { UnfitFile } from './held-directory.ts';

/** A cluster whose kubeconfig is meant. */
export interface KubeconfigPlace {
  readonly cluster: string;
  /** Where its `.kubexm` is. */
  readonly baseDir: string;
}

/** Whose kubeconfig it is put into. */
export interface KubeconfigUser {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** What is kept of a merge: never a key. */
interface Kept extends Merged {
  readonly file: string;
  /** There was no such file before. */
  readonly made: boolean;
}

/** The administrator's kubeconfig, as `create cluster` fetched it. */
export function kubeconfigOf(place: KubeconfigPlace): string {
  const file = fetchedFile(place);
  if (!existsSync(file)) throw kubexmError('KX4711', { cluster: place.cluster });
  return file;
}

/** The kubeconfig of the person: the first file of KUBECONFIG, else `~/.kube/config`. */
export function userKubeconfig({ env, cwd }: KubeconfigUser): string {
  const [first] = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  return resolve(cwd, first ?? join(env['HOME'] ?? homedir(), '.kube', 'config'));
}

/** Throws what `mergeKubeconfig` would throw, as far as it can be known before there is a cluster. */
export function checkMerge(place: KubeconfigPlace, user: KubeconfigUser): void {
  const file = userKubeconfig(user);
  const admin = fetchedFile(place);
  try {
    refuseFetched(file, admin);
    const known = keptOf(place).find((kept) => kept.file === file);
    const text = readKubeconfigFile(file);
    checkEntries(text, existsSync(admin) ? readFileSync(admin, 'utf8') : undefined, { name: place.cluster, known });
  } catch (error) {
    throw refusal(error, file, admin);
  }
}

/** Puts a cluster into the person's kubeconfig and makes it the current one there. Returns the file. */
export async function mergeKubeconfig(place: KubeconfigPlace, user: KubeconfigUser): Promise<string> {
  requireOwnWorkDir(place.baseDir, place.cluster);
  const kubeconfig = kubeconfigOf(place);
  const file = userKubeconfig(user);
  const inFile = (kept: Kept) => kept.file === file;
  const other = (cluster: string) =>
    keptOf({ cluster, baseDir: baseDirOf(cluster, user) ?? place.baseDir }).find(inFile);
  try {
    refuseFetched(file, kubeconfig);
    await changeFile(file, (text, exists) => {
      const records = keptOf(place);
      const known = records.find(inFile);
      const admin = readFileSync(kubeconfig, 'utf8');
      const { text: next, merged } = mergeEntries(text, admin, { name: place.cluster, known, other });
      const made = known?.made ?? (!exists || merged.before.some((context) => other(context)?.made));
      // Before the file has it: what is taken out by digest does no harm where it never came.
      keep(place, [...records.filter((kept) => !inFile(kept)), { ...merged, file, made }]);
      return next;
    });
  } catch (error) {
    throw refusal(error, file, kubeconfig);
  }
  return file;
}

/** What came of taking a cluster out of one kubeconfig. */
export interface Unmerged {
  readonly file: string;
  readonly removed: boolean;
  /** What was changed since and stays: `cluster`, `user`, `context`. */
  readonly left: readonly string[];
  /** Why it could not be done. What was put there stays known. */
  readonly error?: KubexmError;
}

/** Takes out what `mergeKubeconfig` put in, wherever it did. */
export async function unmergeKubeconfig(place: KubeconfigPlace): Promise<readonly Unmerged[]> {
  requireOwnWorkDir(place.baseDir, place.cluster);
  const results: Unmerged[] = [];
  for (const kept of keptOf(place)) {
    const result = await takeOut(kept);
    results.push(result);
    if (result.error === undefined)
      keep(
        place,
        keptOf(place).filter(({ file }) => file !== kept.file),
      );
  }
  return results;
}

/**
 * Removes what leads to a cluster, from the users' kubeconfigs and the work directory, once none of its hosts is changed any more: it
 * would be wrong for the next cluster of that name. Does nothing while a host still belongs to the cluster.
 */
export async function forgetKubeconfig(place: KubeconfigPlace): Promise<readonly Unmerged[]> {
  requireOwnWorkDir(place.baseDir, place.cluster);
  const workDir = workDirOf(place.baseDir, place.cluster);
  if (changedHosts(workDir).size > 0) return [];
  try {
    return await unmergeKubeconfig(place);
  } finally {
    rmSync(workDir.kubeconfig, { force: true });
  }
}

async function takeOut(kept: Kept): Promise<Unmerged> {
  const { file, name } = kept;
  let result: Unmerged = { file, removed: false, left: [] };
  try {
    if (isMissing(file)) return result;
    await changeFile(file, (text) => {
      const { text: next, left, isEmpty } = removeEntries(text, kept);
      result = { file, removed: next !== text, left };
      // What was made for it and has nothing more in it goes.
      return kept.made && isEmpty ? undefined : next;
    });
    return result;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { file, removed: false, left: [], error: kubexmError('KX4713', { file, name, reason }, { cause: error }) };
  }
}

function fetchedFile({ cluster, baseDir }: KubeconfigPlace): string {
  return workDirOf(baseDir, cluster).kubeconfig;
}

function keptFile({ cluster, baseDir }: KubeconfigPlace): string {
  return join(workDirOf(baseDir, cluster).cluster, 'merged-kubeconfig.json');
}

function keptOf(place: KubeconfigPlace): readonly Kept[] {
  const file = keptFile(place);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept[]) : [];
}

function keep(place: KubeconfigPlace, records: readonly Kept[]): void {
  const file = keptFile(place);
  replaceFileSync(file, `${JSON.stringify(records)}\n`, { isNote: true, draft: `${file}.${process.pid}` });
  if (records.length === 0) rmSync(file);
}

/** Where kubexm was when it made another cluster. */
function baseDirOf(cluster: string, { env }: KubeconfigUser): string | undefined {
  return readContexts(env).contexts.find(({ name }) => name === cluster)?.baseDir;
}

function refusal(error: unknown, file: string, kubeconfig: string): unknown {
  if (error instanceof TakenName)
    return kubexmError('KX4712', { file, kubeconfig, what: error.what, name: error.taken });
  const told = error instanceof UnfitKubeconfig || error instanceof UnfitFile;
  if (told || (error instanceof Error && 'syscall' in error))
    return kubexmError('KX4710', { file, reason: error.message, kubeconfig }, { cause: error });
  return error;
}
