import { existsSync, readdirSync } from 'node:fs';
import { type ConfigChange, fixedChanges } from '../config/index.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { kubexmError } from '../model/errors/index.ts';
import { MASK } from '../model/text/mask.ts';
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
      return config.spec.roleGroups.master.some((name) => hosts.has(name) || name.includes(MASK))
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
  const changes = [
    ...fixedChanges(nodesOf(standing), config, fixed),
    ...newNames(standing, config.cluster),
    ...roleChanges(standing, config.cluster),
  ];
  if (changes.length === 0) return;
  const detail = changes.map(({ path, before, after }) => `${path}: ${before ?? '–'} → ${after ?? '–'}`).join('\n');
  const { name } = config.cluster.metadata;
  throw kubexmError('KX4040', { cluster: name, pipeline: pipeline.name, count: changes.length }, { detail });
}

/** The configuration without hosts that are none of the cluster's any more: under their names others may come. */
function nodesOf({ config, hosts }: StandingCluster): Cluster {
  const { spec } = config;
  return { ...config, spec: { ...spec, hosts: spec.hosts.filter(({ name }) => hosts.has(name)) } };
}

/** Nodes that the file calls otherwise, by their addresses. */
function newNames(standing: StandingCluster, wanted: Cluster): readonly ConfigChange[] {
  const names = new Set(wanted.spec.hosts.map(({ name }) => name));
  const missing = nodesOf(standing).spec.hosts.filter(({ name }) => !names.has(name));
  return missing.flatMap((node): readonly ConfigChange[] => {
    const other = wanted.spec.hosts.find(({ address, ssh }) => address === node.address && ssh.port === node.ssh.port);
    return other ? [{ path: `spec.hosts.${node.name}.name`, before: node.name, after: other.name }] : [];
  });
}

/**
 * Nodes that do something else, and a first master that is not the cluster's: it would begin another one. Further hosts are no change
 * of these, nor are hosts that the file does not have any more: a machine may be gone for ever, and `delete cluster` names the rest.
 */
function roleChanges({ config: applied, hosts }: StandingCluster, wanted: Cluster): readonly ConfigChange[] {
  const names = new Set(wanted.spec.hosts.map(({ name }) => name));
  const staying = applied.spec.hosts.flatMap(({ name }) => (hosts.has(name) && names.has(name) ? [name] : []));
  const members = (list: readonly string[]) => staying.filter((name) => list.includes(name));
  return (['master', 'worker'] as const).flatMap((role): readonly ConfigChange[] => {
    const [before, after] = [applied.spec.roleGroups[role], wanted.spec.roleGroups[role]];
    // What was kept has no secrets, and a name may hold the text of one: nobody can tell whether it differs.
    if (before.some((name) => name.includes(MASK))) return [];
    const [first = ''] = after;
    const sameFirst = role !== 'master' || (before[0] === first && hosts.has(first));
    if (sameFirst && members(before).join() === members(after).join()) return [];
    const standing = before.filter((name) => hosts.has(name));
    return [{ path: `spec.roleGroups.${role}`, before: standing.join(', '), after: after.join(', ') }];
  });
}
