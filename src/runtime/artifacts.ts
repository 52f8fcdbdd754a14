import { artifactCacheDir, jobsOf } from '../artifacts/cache/index.ts';
import { readCatalog, resolveArtifacts, zoneOf } from '../artifacts/catalog/index.ts';
import {
  type ArtifactForecast,
  type ArtifactRow,
  artifactReport,
  forecastArtifacts,
  forgetLocked,
  readLock,
  sourcesOf,
} from '../artifacts/handles/index.ts';
import { ARCHES } from '../model/catalog/schema.ts';
import type { Cluster } from '../model/cluster/index.ts';
import type { Facts } from '../model/facts.ts';
import type { PlanArtifacts } from '../plan/layers.ts';
import type { ClusterPlace } from '../state/cluster-nodes.ts';
import { openCluster } from '../state/open-config.ts';
import { requireOwnWorkDir, workDirOf } from '../state/work-dir.ts';

/**
 * What a cluster is installed from, from its configuration, the facts of its hosts and what it has agreed on. `more`: components
 * beside, for all nodes.
 */
export async function planArtifacts(
  cluster: Cluster,
  facts: Readonly<Record<string, Facts>>,
  at: { readonly env: NodeJS.ProcessEnv; readonly baseDir: string; readonly workDir: string },
  more: readonly string[] = [],
): Promise<PlanArtifacts> {
  const zone = zoneOf(cluster, at.env);
  const archOf = (host: string) => ARCHES.find((arch) => arch === facts[host]?.arch);
  return {
    needs: resolveArtifacts(cluster, await readCatalog(), zone, archOf, more),
    lock: readLock(at.workDir),
    sources: sourcesOf(cluster, at.env, zone, at.baseDir),
    cacheDir: artifactCacheDir(at.env),
  };
}

/** What a cluster needs and what of it is here, without a connection to anything. */
export async function listArtifacts(
  options: ClusterPlace & { readonly env: NodeJS.ProcessEnv },
): Promise<readonly ArtifactRow[]> {
  const { configFile, baseDir, overrides, env } = options;
  const { cluster } = await openCluster(configFile, overrides);
  const workDir = workDirOf(baseDir, cluster.metadata.name).cluster;
  const artifacts = await planArtifacts(cluster, {}, { env, baseDir, workDir });
  return await artifactReport(artifacts, workDir, () => undefined);
}

/** What getting the artifacts of a cluster takes on this machine, after its sources were asked which of them answers. */
export async function forecastCluster(
  options: ClusterPlace & {
    readonly env: NodeJS.ProcessEnv;
    /** Further components, for all nodes. */
    readonly components?: readonly string[];
    readonly signal?: AbortSignal;
  },
): Promise<ArtifactForecast> {
  const { configFile, baseDir, overrides, env, components, signal = new AbortController().signal } = options;
  const { cluster } = await openCluster(configFile, overrides);
  const workDir = workDirOf(baseDir, cluster.metadata.name).cluster;
  const { needs, ...artifacts } = await planArtifacts(cluster, {}, { env, baseDir, workDir }, components);
  const request = { ...artifacts, jobs: jobsOf(needs), workDir };
  return await forecastArtifacts(request, { env, signal, secret: () => undefined });
}

/** Forgets what a cluster has agreed on: all of it, or only what no source had. */
export async function forgetArtifacts(
  { configFile, baseDir, overrides }: ClusterPlace,
  which: 'all' | 'absent',
): Promise<void> {
  const { cluster } = await openCluster(configFile, overrides);
  requireOwnWorkDir(baseDir, cluster.metadata.name);
  await forgetLocked(workDirOf(baseDir, cluster.metadata.name).cluster, which);
}
