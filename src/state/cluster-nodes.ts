import type { Outcome } from '../model/event.ts';
import type { EventReader, RunRecord } from '../observe/index.ts';
import { changingRuns } from './cluster-status.ts';
import { openHistory } from './history.ts';
import { lastFacts } from './last-facts.ts';
import { openCluster } from './open-config.ts';
import { type WorkDir, workDirOf } from './work-dir.ts';

/** How a host stands, by what kubexm did to it last. */
export type NodeState = 'new' | 'working' | 'ok' | 'failed' | 'lost' | 'unfinished' | 'removed';

/** A host of a cluster, as far as this machine can tell. */
export interface NodeRow {
  readonly name: string;
  readonly address: string;
  readonly internalAddresses: readonly string[];
  readonly roles: readonly string[];
  readonly state: NodeState;
  /** What the last run that looked at it has read; null if none did. */
  readonly os: string | null;
  readonly arch: string | null;
  readonly kernel: string | null;
  readonly cpus: number | null;
  readonly memoryBytes: number | null;
  /** The last run that was to change it. */
  readonly lastRun: { readonly id: string; readonly pipeline: string; readonly startedAt: number } | null;
}

/** Which cluster, and where its work directory is. */
export interface ClusterPlace {
  readonly configFile: string;
  readonly baseDir: string;
  /** Fields that hold instead of the file's, as `path=value`. */
  readonly overrides?: readonly string[];
}

/** The hosts of a cluster's file and what is known about them. Connects to nothing. */
export async function listNodes({ configFile, baseDir, overrides }: ClusterPlace): Promise<readonly NodeRow[]> {
  const { cluster } = await openCluster(configFile, overrides);
  const { name } = cluster.metadata;
  const names = cluster.spec.hosts.map((host) => host.name);
  const workDir = workDirOf(baseDir, name);
  const facts = lastFacts(workDir, names);
  const [history] = openHistory({ baseDir, cluster: name });
  try {
    const stateOf = states(history?.reader, workDir);
    return cluster.spec.hosts.map((host): NodeRow => {
      const known = facts.get(host.name);
      const { state, run } = stateOf(host.name);
      return {
        name: host.name,
        address: host.address,
        internalAddresses: host.internal.list,
        roles: host.roles,
        state,
        os: known?.os.name ?? null,
        arch: known?.arch ?? null,
        kernel: known?.kernel ?? null,
        cpus: known?.cpus ?? null,
        memoryBytes: known?.memoryBytes ?? null,
        lastRun: run ? { id: run.id, pipeline: run.pipeline, startedAt: run.startedAt } : null,
      };
    });
  } finally {
    history?.reader.close();
  }
}

const BAD: ReadonlySet<Outcome> = new Set(['skipped', 'unknown', 'failed', 'dirty', 'reverted']);
const REMOVING: ReadonlySet<string> = new Set(['delete cluster', 'reset nodes']);

/** Finds the state of hosts; each run is asked for its events once at most. */
function states(reader: EventReader | undefined, workDir: WorkDir) {
  const runs = reader ? changingRuns(reader, workDir) : [];
  const ended = new Map<string, ReadonlySet<string>>();
  return (host: string): { readonly state: NodeState; readonly run?: RunRecord } => {
    const run = runs.find((one) => one.hosts.includes(host));
    if (!run || !reader) return { state: 'new' };
    if (run.status === 'running') return { state: 'working', run };
    if (run.finished?.lostHosts.includes(host)) return { state: 'lost', run };
    if (run.finished?.failures.some((failure) => failure.host === host)) return { state: 'failed', run };
    const well = ended.get(run.id) ?? hostsThatEndedWell(reader, run);
    ended.set(run.id, well);
    if (run.status !== 'succeeded' && !well.has(host)) return { state: 'unfinished', run };
    return { state: REMOVING.has(run.pipeline) ? 'removed' : 'ok', run };
  };
}

function hostsThatEndedWell(reader: EventReader, run: RunRecord): ReadonlySet<string> {
  if (!run.finished) return new Set();
  const last = new Map<string, { readonly host: string; readonly outcome: Outcome }>();
  for (const { event } of reader.events({ run: run.id, type: 'node-finished', limit: 1_000_000 }))
    if (event.type === 'node-finished') last.set(event.node, event);
  const bad = new Set([...last.values()].flatMap(({ host, outcome }) => (BAD.has(outcome) ? [host] : [])));
  const seen = new Set([...last.values()].map(({ host }) => host));
  return new Set(run.hosts.filter((host) => seen.has(host) && !bad.has(host)));
}
