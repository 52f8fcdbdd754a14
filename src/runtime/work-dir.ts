import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Makes a cluster's work directory, private and ignored by git. */
export function makeWorkDir(baseDir: string, cluster: string): WorkDir {
  const dir = workDirOf(baseDir, cluster);
  const root = join(baseDir, WORK_DIR);
  for (const path of [root, dir.cluster, dir.runs]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
  }
  const ignore = join(root, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n', { mode: 0o600 });
  return dir;
}
