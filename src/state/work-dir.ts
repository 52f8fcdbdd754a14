import { chmodSync, existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncDirectorySync } from '../local/files.ts';
import { kubexmError } from '../model/errors/index.ts';
import { KUBECONFIG } from '../model/kubeconfig.ts';

/** The directories of a cluster on the machine kubexm runs on. All of them are 0700. */
export interface WorkDir {
  /** `.kubexm/<cluster>` */
  readonly cluster: string;
  readonly runs: string;
  readonly events: string;
  readonly knownHosts: string;
  readonly lock: string;
  readonly metrics: string;
  /** As it was fetched from the first master. */
  readonly kubeconfig: string;
  certs(component: string): string;
  /** What was fetched or made for one host. */
  host(name: string): string;
  artifacts(component: string, version: string, arch: string): string;
}

/** The name of the directory that holds everything, below the current directory. */
export const WORK_DIR = '.kubexm';

/** The paths of a cluster's work directory; nothing is made. */
export function workDirOf(baseDir: string, cluster: string): WorkDir {
  const root = join(baseDir, WORK_DIR, cluster);
  return {
    cluster: root,
    runs: join(root, 'runs'),
    events: join(root, 'events.db'),
    knownHosts: join(root, 'known_hosts'),
    lock: join(root, 'lock'),
    metrics: join(root, 'metrics.prom'),
    kubeconfig: join(root, KUBECONFIG),
    certs: (component) => join(root, 'certs', component),
    host: (name) => join(root, 'hosts', name),
    artifacts: (component, version, arch) => join(root, component, version, arch),
  };
}

/**
 * Throws KX8008 if a cluster's work directory, as far as it exists, belongs to somebody else or is a link. It holds keys and says what
 * is run as root on hosts: in a directory that several people write to, one of them could have prepared it.
 */
export function requireOwnWorkDir(baseDir: string, cluster: string): void {
  const { cluster: dir, runs } = workDirOf(baseDir, cluster);
  for (const path of [join(baseDir, WORK_DIR), dir, runs]) requireOwn(path);
}

function requireOwn(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const me = process.geteuid?.();
  if (found === undefined) return;
  if (!found.isDirectory())
    throw kubexmError('KX8008', {
      dir: path,
      reason: found.isSymbolicLink() ? 'it is a link' : 'it is not a directory',
    });
  if (me !== undefined && found.uid !== me)
    throw kubexmError('KX8008', {
      dir: path,
      reason: `it belongs to the user with id ${found.uid}, kubexm runs as ${me}`,
    });
}

/** Makes a cluster's work directory, private and ignored by git. Throws KX8008 if there is one that cannot be trusted. */
export function makeWorkDir(baseDir: string, cluster: string): WorkDir {
  const dir = workDirOf(baseDir, cluster);
  const root = join(baseDir, WORK_DIR);
  for (const path of [root, dir.cluster, dir.runs]) {
    requireOwn(path);
    const made = mkdirSync(path, { recursive: true, mode: 0o700 });
    if (made !== undefined) syncDirectorySync(dirname(made));
    // Again: somebody may have been quicker.
    requireOwn(path);
    chmodSync(path, 0o700);
  }
  const ignore = join(root, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n', { mode: 0o600 });
  return dir;
}
