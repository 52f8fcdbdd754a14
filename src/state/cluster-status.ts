import type { EventReader, RunRecord } from '../observe/index.ts';
import { changedHosts } from './manifests.ts';
import { markedEnds } from './old-records.ts';
import { isWholeRun, runMarks } from './run-marks.ts';
import { type StandingCluster, standingCluster } from './standing-cluster.ts';
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
const RESET = 'reset nodes';
/** Pipelines that leave the hosts as they are. */
const IDLE: ReadonlySet<string> = new Set(['run command', 'download artifacts', 'check cluster']);
const MOST_RUNS = 1000;

/** What the runs of a cluster tell about it. */
export interface ClusterLife {
  readonly status: ClusterStatus;
  /** The newest run that was to change its hosts. */
  readonly last: RunRecord | undefined;
  /** The newest one that created it, or tried to and changed something. */
  readonly created: RunRecord | undefined;
  /** When it was first ready since it last began. Milliseconds since the epoch. */
  readonly since: number | undefined;
  /** The configuration that it has. */
  readonly applied: StandingCluster | undefined;
}

/** The runs that were to change the hosts of a cluster, newest first. Dry runs change nothing and tell nothing. */
function hostRuns(reader: EventReader): readonly RunRecord[] {
  return reader.listRuns({ limit: MOST_RUNS }).filter((run) => !run.dryRun && !IDLE.has(run.pipeline));
}

/** Those of them that tell how hosts are: one that was declined, refused or failed before its first change does not. */
export function changingRuns(reader: EventReader, workDir: WorkDir): readonly RunRecord[] {
  return hostRuns(reader).filter(({ id, pipeline, status }) => {
    if (status === 'running' || (status === 'succeeded' && isWholeRun(workDir.runs, id, pipeline))) return true;
    return runMarks(workDir.runs, id)?.changed === true;
  });
}

/** Reads a cluster's life from its runs. */
export function clusterLife(reader: EventReader | undefined, workDir: WorkDir): ClusterLife {
  if (!reader) return { status: 'new', last: undefined, created: undefined, since: undefined, applied: undefined };
  const runs = changingRuns(reader, workDir);
  const isWhole = ({ id, pipeline }: RunRecord) => isWholeRun(workDir.runs, id, pipeline);
  const standing = standingCluster(workDir);
  const status = statusOf(runs, isWhole, changedHosts(workDir).size > 0, standing !== undefined);
  const deleted = runs.findIndex((run) => run.pipeline === DELETE && run.status === 'succeeded');
  const alive = status === 'deleted' ? [] : deleted < 0 ? runs : runs.slice(0, deleted);
  const creations = alive.filter((run) => run.pipeline === CREATE && isWhole(run));
  const first = sinceItBegan(reader, creations).findLast((run) => run.status === 'succeeded');
  return {
    status,
    last: hostRuns(reader)[0],
    created: creations[0],
    since: first && first.startedAt + (first.finished?.durationMs ?? 0),
    applied: status === 'deleted' ? undefined : standing,
  };
}

/** The newest run that was about the whole cluster decides; what was done to a part of it makes no cluster of it. */
function statusOf(
  runs: readonly RunRecord[],
  isWhole: (run: RunRecord) => boolean,
  anyChanged: boolean,
  stands: boolean,
): ClusterStatus {
  const at = runs.findIndex((run) => run.pipeline === DELETE || (run.pipeline === CREATE && isWhole(run)));
  const decisive = runs[at];
  const later = decisive ? runs.slice(0, at) : runs;
  if (decisive === undefined || (decisive.pipeline === DELETE && decisive.status === 'succeeded')) {
    if (anyChanged && later.some(({ pipeline }) => pipeline === CREATE)) return 'unfinished';
    return decisive ? 'deleted' : 'new';
  }
  // A cluster is deleted once the last of its hosts has been reset.
  const isReset = later.some(({ pipeline, status }) => pipeline === RESET && status === 'succeeded');
  if (isReset && !anyChanged) return 'deleted';
  // Without a master there is no cluster, whatever is left on other hosts.
  return isReset && !stands ? 'half-deleted' : statusAfter(decisive);
}

/** The runs since the newest one in which the cluster began: those before made another one, which is gone. */
function sinceItBegan(reader: EventReader, runs: readonly RunRecord[]): readonly RunRecord[] {
  const at = runs.findIndex(({ id }) =>
    markedEnds(reader, id, 'cluster-begun').some(({ outcome }) => outcome === 'changed'),
  );
  return at < 0 ? runs : runs.slice(0, at + 1);
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
