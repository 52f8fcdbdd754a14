import { existsSync } from 'node:fs';
import { readLock } from '../artifacts/handles/index.ts';
import { type ConfigChange, diffConfigs } from '../config/index.ts';
import type { Mark } from '../model/mark.ts';
import type { EventReader, RunRecord } from '../observe/index.ts';
import { type ClusterPlace, listNodes, type NodeRow } from '../state/cluster-nodes.ts';
import { type ClusterStatus, clusterLife } from '../state/cluster-status.ts';
import { openHistory } from '../state/history.ts';
import { markedEnds } from '../state/old-records.ts';
import { openCluster } from '../state/open-config.ts';
import { workDirOf } from '../state/work-dir.ts';
import type { LiveCluster } from './cluster-live.ts';

/** Something that is so, is not so, or is not known, and when that was last looked at. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** Milliseconds since the epoch. */
  readonly at: number | null;
  /** The run that found it, or `live`. */
  readonly source: string;
}

/** All that this machine knows about a cluster. */
export interface ClusterDescription {
  readonly name: string;
  readonly status: ClusterStatus;
  readonly kubernetesVersion: string;
  readonly containerRuntime: string;
  readonly network: string;
  readonly since: number | null;
  readonly configFile: string;
  readonly baseDir: string;
  /** The administrator's kubeconfig, where it has been fetched. */
  readonly kubeconfig: string | null;
  readonly nodes: readonly NodeRow[];
  readonly lastOperation: RunRecord | null;
  readonly conditions: readonly Condition[];
  /** The configuration that the cluster has, of the last run in which it began or was found begun, and what the file says otherwise by now. */
  readonly applied: { readonly run: string; readonly at: number; readonly differences: readonly ConfigChange[] } | null;
  readonly artifacts: { readonly pinned: number };
}

/** Conditions, and the marks of the steps that tell them. */
export const CONDITIONS: readonly (readonly [type: string, mark: Mark])[] = [
  ['NodesReady', 'nodes-ready'],
  ['ControlPlaneReady', 'control-plane-ready'],
  ['NetworkReady', 'network-ready'],
  ['ProxyReady', 'proxy-ready'],
  ['DnsReady', 'dns-ready'],
];

const GOOD: ReadonlySet<string> = new Set(['satisfied', 'changed', 'ran']);

/** Describes a cluster. Connects to nothing: `live` is what the cluster itself said, if it was asked. */
export async function describeCluster(place: ClusterPlace, live?: LiveCluster): Promise<ClusterDescription> {
  const { configFile, baseDir, overrides } = place;
  const { cluster } = await openCluster(configFile, overrides);
  const { name } = cluster.metadata;
  const workDir = workDirOf(baseDir, name);
  const { kubeconfig } = workDir;
  const nodes = await listNodes(place);
  const [history] = openHistory({ baseDir, cluster: name });
  try {
    const { status, since, last, created, applied } = clusterLife(history?.reader, workDir);
    const { spec } = applied?.config ?? cluster;
    const { type, version } = spec.kubernetes.containerRuntime;
    const told = created && history ? toldBy(history.reader, created) : [];
    return {
      name,
      status,
      kubernetesVersion: spec.kubernetes.version,
      containerRuntime: version === undefined ? type : `${type} ${version}`,
      network: spec.network.plugin,
      since: since ?? null,
      configFile,
      baseDir,
      kubeconfig: existsSync(kubeconfig) ? kubeconfig : null,
      nodes,
      lastOperation: last ?? null,
      conditions: live ? [...liveConditions(live, Date.now()), ...without(told, ['NodesReady'])] : told,
      applied: applied ? { run: applied.run, at: applied.at, differences: diffConfigs(applied.config, cluster) } : null,
      artifacts: { pinned: Object.values(readLock(workDir.cluster)).filter((entry) => !('absent' in entry)).length },
    };
  } finally {
    history?.reader.close();
  }
}

/** What a run found when it looked at the cluster's health. */
function toldBy(reader: EventReader, run: RunRecord): readonly Condition[] {
  const created: Condition = {
    type: 'Created',
    status: run.status === 'succeeded' ? 'True' : run.status === 'running' ? 'Unknown' : 'False',
    at: run.lastAt,
    source: run.id,
  };
  const told = CONDITIONS.map(([type, mark]): Condition => {
    const events = markedEnds(reader, run.id, mark);
    // A resumed run ends some steps more than once: the last time counts.
    const outcomes = [...new Map(events.map((event) => [event.node, event.outcome])).values()];
    const looked = outcomes.filter((outcome) => outcome !== 'skipped');
    const bad = looked.some((outcome) => !GOOD.has(outcome));
    const status = bad ? 'False' : looked.length > 0 && looked.length === outcomes.length ? 'True' : 'Unknown';
    return { type, status, at: events.at(-1)?.at ?? null, source: run.id };
  });
  return [created, ...told];
}

function liveConditions({ nodes, checks }: LiveCluster, at: number): readonly Condition[] {
  const condition = (type: string, known: boolean, holds: boolean): Condition => ({
    type,
    status: known ? (holds ? 'True' : 'False') : 'Unknown',
    at,
    source: 'live',
  });
  const names = Object.keys(checks);
  return [
    condition('ApiServerHealthy', names.length > 0, Object.values(checks).every(Boolean)),
    condition('EtcdHealthy', checks['etcd'] !== undefined, checks['etcd'] === true),
    condition(
      'NodesReady',
      nodes.length > 0,
      nodes.every((node) => node.ready === 'True'),
    ),
  ];
}

function without(conditions: readonly Condition[], types: readonly string[]): readonly Condition[] {
  return conditions.filter(({ type }) => !types.includes(type));
}
