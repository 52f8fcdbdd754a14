import { existsSync, readdirSync } from 'node:fs';
import { type ConfigChange, fixedChanges } from '../config/index.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { kubexmError } from '../model/errors/index.ts';
import type { Pipeline } from '../plan/layers.ts';
import { configOfRun } from './cluster-status.ts';
import { changedHosts } from './manifests.ts';
import type { OpenConfig } from './open-config.ts';
import { type RunMarks, runMarks } from './run-marks.ts';
import type { WorkDir } from './work-dir.ts';

/** The runs since the cluster was last deleted in which it began or was found begun, newest first. */
function* beginnings(workDir: WorkDir): Generator<RunMarks> {
  const names = existsSync(workDir.runs) ? readdirSync(workDir.runs).sort().reverse() : [];
  for (const name of names) {
    const marks = runMarks(workDir.runs, name);
    if (marks?.pipeline === 'delete cluster' && marks.ended === 'succeeded') return;
    if (marks?.begun) yield marks;
  }
}

/** The configuration of a cluster that exists, as far as this machine knows: some master is as kubexm made it. */
function standingCluster(workDir: WorkDir, changed: ReadonlySet<string>): Cluster | undefined {
  if (changed.size === 0) return undefined;
  for (const { run } of beginnings(workDir)) {
    const cluster = configOfRun(workDir, run);
    if (cluster) return cluster.spec.roleGroups.master.some((name) => changed.has(name)) ? cluster : undefined;
  }
  return undefined;
}

/** Throws KX4040 where a cluster exists and the file says otherwise in what the pipeline can only do at its creation. */
export function refuseFixedChanges<P>(pipeline: Pipeline<P>, config: OpenConfig, workDir: WorkDir): void {
  const fixed = pipeline.modules.flatMap((module) => module.fixed ?? []);
  if (fixed.length === 0) return;
  const changed = changedHosts(workDir);
  const applied = standingCluster(workDir, changed);
  if (!applied) return;
  const changes = [...fixedChanges(applied, config, fixed), ...hostChanges(applied, config.cluster, changed)];
  if (changes.length === 0) return;
  const detail = changes.map(({ path, before, after }) => `${path}: ${before ?? '–'} → ${after ?? '–'}`).join('\n');
  const { name } = config.cluster.metadata;
  throw kubexmError('KX4040', { cluster: name, pipeline: pipeline.name, count: changes.length }, { detail });
}

/** Nodes that are missing or do something else, and another first master. Further hosts are no change of these. */
function hostChanges(applied: Cluster, wanted: Cluster, changed: ReadonlySet<string>): readonly ConfigChange[] {
  const names = new Set(wanted.spec.hosts.map(({ name }) => name));
  const nodes = applied.spec.hosts.filter(({ name }) => changed.has(name));
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
