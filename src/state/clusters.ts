import { loadConfig } from '../config/index.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { type ClusterStatus, clusterLife } from './cluster-status.ts';
import { type Context, readContexts } from './contexts.ts';
import { openHistory } from './history.ts';
import { workDirOf } from './work-dir.ts';

/** A known cluster, as far as this machine can tell. */
export interface ClusterRow {
  readonly name: string;
  /** It is meant where none is named. */
  readonly current: boolean;
  readonly status: ClusterStatus;
  /** As it was created, else as its file says; null if neither is known. */
  readonly kubernetesVersion: string | null;
  readonly masters: number | null;
  readonly workers: number | null;
  readonly nodes: number | null;
  /** When it was first ready. Milliseconds since the epoch. */
  readonly since: number | null;
  readonly lastRun: {
    readonly id: string;
    readonly pipeline: string;
    readonly status: string;
    readonly startedAt: number;
  } | null;
  readonly configFile: string;
  readonly baseDir: string;
}

/** Every cluster that is known on this machine. Connects to nothing. */
export async function listClusters(env: NodeJS.ProcessEnv): Promise<readonly ClusterRow[]> {
  const { current, contexts } = readContexts(env);
  return await Promise.all(contexts.map((context) => clusterRow(context, context.name === current)));
}

async function clusterRow({ name, configFile, baseDir }: Context, current: boolean): Promise<ClusterRow> {
  const [history] = openHistory({ baseDir, cluster: name });
  try {
    const { status, last, since, applied } = clusterLife(history?.reader, workDirOf(baseDir, name));
    const written = (await loadConfig(configFile)).cluster;
    // A file that is another cluster's by now says nothing about this one.
    const cluster = applied?.config ?? (written?.metadata.name === name ? written : undefined);
    return {
      name,
      current,
      status,
      kubernetesVersion: cluster?.spec.kubernetes.version ?? null,
      ...sizesOf(cluster),
      since: since ?? null,
      lastRun: last ? { id: last.id, pipeline: last.pipeline, status: last.status, startedAt: last.startedAt } : null,
      configFile,
      baseDir,
    };
  } finally {
    history?.reader.close();
  }
}

function sizesOf(cluster: Cluster | undefined): Pick<ClusterRow, 'masters' | 'workers' | 'nodes'> {
  if (!cluster) return { masters: null, workers: null, nodes: null };
  const { master, worker } = cluster.spec.roleGroups;
  return { masters: master.length, workers: worker.length, nodes: new Set([...master, ...worker]).size };
}
