import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../model/cluster/index.ts';
import type { EventReader, RunRecord } from '../observe/index.ts';
import type { WorkDir } from './work-dir.ts';

/** How a cluster stands, by what kubexm did to it last. */
export type ClusterStatus =
  /** Known, but not created. */
  | 'new'
  | 'creating'
  | 'ready'
  /** Created but for hosts that were lost. */
  | 'partial'
  /** Its creation was cut short, and can be gone on with. */
  | 'unfinished'
  | 'failed'
  | 'deleting'
  /** Its deletion did not end well. */
  | 'half-deleted'
  | 'deleted';

const CREATE = 'create cluster';
const DELETE = 'delete cluster';
/** Pipelines that leave the hosts as they are. */
const IDLE: ReadonlySet<string> = new Set(['run command', 'download artifacts', 'check cluster']);
const MOST_RUNS = 1000;

/** What the runs of a cluster tell about it. */
export interface ClusterLife {
  readonly status: ClusterStatus;
  /** The newest run that was to change its hosts. */
  readonly last: RunRecord | undefined;
  /** The newest one that created it, or tried to. */
  readonly created: RunRecord | undefined;
  /** When it was first ready since it was last deleted. Milliseconds since the epoch. */
  readonly since: number | undefined;
}

/** The runs that were to change the hosts of a cluster, newest first. */
export function changingRuns(reader: EventReader): readonly RunRecord[] {
  return reader.listRuns({ limit: MOST_RUNS }).filter((run) => !run.dryRun && !IDLE.has(run.pipeline));
}

/** Reads a cluster's life from its runs. Dry runs change nothing and tell nothing. */
export function clusterLife(reader: EventReader | undefined): ClusterLife {
  const runs = reader ? changingRuns(reader) : [];
  const deleted = runs.findIndex((run) => run.pipeline === DELETE && run.status === 'succeeded');
  const alive = deleted < 0 ? runs : runs.slice(0, deleted);
  const creations = alive.filter((run) => run.pipeline === CREATE);
  const first = creations.findLast((run) => run.status === 'succeeded');
  const decisive = runs.find((run) => run.pipeline === CREATE || run.pipeline === DELETE);
  return {
    status: decisive ? statusAfter(decisive) : 'new',
    last: runs[0],
    created: creations[0],
    since: first && first.startedAt + (first.finished?.durationMs ?? 0),
  };
}

function statusAfter({ pipeline, status }: RunRecord): ClusterStatus {
  if (pipeline === DELETE) {
    if (status === 'running') return 'deleting';
    return status === 'succeeded' ? 'deleted' : 'half-deleted';
  }
  switch (status) {
    case 'running':
      return 'creating';
    case 'succeeded':
      return 'ready';
    case 'interrupted':
    case 'unknown':
      return 'unfinished';
    default:
      return status;
  }
}

/** The configuration that a run was started with, without its secrets; undefined where nothing is left of it. */
export function configOfRun(workDir: WorkDir, run: string): Cluster | undefined {
  const file = join(workDir.runs, run, 'config.json');
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Cluster;
  } catch {
    return undefined;
  }
}
