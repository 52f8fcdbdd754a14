import { existsSync, readdirSync } from 'node:fs';
import { type ConfigChange, fixedChanges } from '../config/index.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { kubexmError } from '../model/errors/index.ts';
import type { Pipeline } from '../plan/layers.ts';
import { changedHosts } from './manifests.ts';
import type { OpenConfig } from './open-config.ts';
import { configOfRun, runMarks } from './run-marks.ts';
import type { WorkDir } from './work-dir.ts';

/** A cluster that exists, as far as this machine knows. */
export interface StandingCluster {
  /** The newest run in which it began, or was found begun. */
  readonly run: string;
  /** When that was. Milliseconds since the epoch. */
  readonly at: number;
  /** The configuration of that run. */
  readonly config: Cluster;
  /** The hosts that are as kubexm made them. */
  readonly hosts: ReadonlySet<string>;
}

/** Finds what was applied to a cluster of which a master is left; undefined where there is none. */
export function standingCluster(workDir: WorkDir): StandingCluster | undefined {
  const hosts = new Set(changedHosts(workDir));
  if (hosts.size === 0 || !existsSync(workDir.runs)) return undefined;
  for (const run of readdirSync(workDir.runs).sort().reverse()) {
    const marks = runMarks(workDir.runs, run);
    if (marks?.pipeline === 'delete cluster' && marks.ended === 'succeeded') return undefined;
    for (const host of marks?.undone ?? []) hosts.delete(host);
    const config = marks?.begun ? configOfRun(workDir.runs, run) : undefined;
    if (marks && config)
      return config.spec.roleGroups.master.some((name) => hosts.has(name))
        ? { run, at: marks.startedAt, config, hosts }
        : undefined;
  }
  return undefined;
}

/** Throws KX4040 where a cluster exists and the file says otherwise in what the pipeline can only do at its creation. */
export function refuseFixedChanges<P>(pipeline: Pipeline<P>, config: OpenConfig, workDir: WorkDir): void {
  const fixed = pipeline.modules.flatMap((module) => module.fixed ?? []);
  if (fixed.length === 0) return;
  const standing = standingCluster(workDir);
  if (!standing) return;
  const changes = [...fixedChanges(standing.config, config, fixed), ...hostChanges(standing, config.cluster)];
  if (changes.length === 0) return;
  const detail = changes.map(({ path, before, after }) => `${path}: ${before ?? '–'} → ${after ?? '–'}`).join('\n');
  const { name } = config.cluster.metadata;
  throw kubexmError('KX4040', { cluster: name, pipeline: pipeline.name, count: changes.length }, { detail });
}

/** Nodes that are missing or do something else, and another first master. Further hosts are no change of these. */
function hostChanges({ config: applied, hosts }: StandingCluster, wanted: Cluster): readonly ConfigChange[] {
  const names = new Set(wanted.spec.hosts.map(({ name }) => name));
  const nodes = applied.spec.hosts.filter(({ name }) => hosts.has(name));
  const missing = nodes.filter(({ name }) => !names.has(name));
  const staying = new Set(nodes.flatMap(({ name }) => (names.has(name) ? [name] : [])));
  const members = (list: readonly string[]) => list.filter((name) => staying.has(name)).sort();
  const roles = (['master', 'worker'] as const).flatMap((role): readonly ConfigChange[] => {
    const [before, after] = [applied.spec.roleGroups[role], wanted.spec.roleGroups[role]];
    const sameFirst = role !== 'master' || before[0] === after[0];
    if (sameFirst && members(before).join() === members(after).join()) return [];
    return [{ path: `spec.roleGroups.${role}`, before: before.join(', '), after: after.join(', ') }];
  });
  return [
    ...missing.map(({ name, address }) => ({ path: `spec.hosts.${name}`, before: address, after: undefined })),
    ...roles,
  ];
}
