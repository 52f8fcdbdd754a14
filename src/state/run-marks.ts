import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Phase, type Replay, readJournal } from '../engine/journal.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { LOCAL } from '../model/host.ts';
import type { Mark } from '../model/mark.ts';
import { oldMark } from './old-records.ts';

/** What a run did to a cluster, by its journal. */
export interface RunMarks {
  readonly run: string;
  readonly pipeline: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** How it ended; undefined while nobody knows. */
  readonly ended: string | undefined;
  /** It changed something on a host that it did not put back. */
  readonly changed: boolean;
  /** The cluster began in it, or had begun, or may have: kubexm or the host were gone before the end of it was known. */
  readonly begun: boolean;
  /** Hosts that it took out of the cluster: what made nodes of them was undone. */
  readonly undone: readonly string[];
}

/** Reads what a run did; undefined where it has no journal, or none that can be read. */
export function runMarks(runs: string, run: string): RunMarks | undefined {
  try {
    const { replay } = readJournal(join(runs, run, 'journal.jsonl'));
    const { pipeline, startedAt } = replay.header;
    return {
      run,
      pipeline,
      startedAt: Date.parse(startedAt),
      ended: replay.ended,
      changed: changedHost(replay),
      begun: hasBegun(replay),
      undone: undoneOn(replay),
    };
  } catch {
    return undefined;
  }
}

/** Whether a run was about all of its pipeline: no tags, no single task. */
export function isWholeRun(runs: string, run: string, pipeline: string): boolean {
  const { tags = [], skipTags = [] } = readKept<Record<string, readonly string[]>>(runs, run, 'selection') ?? {};
  return pipeline !== 'run task' && tags.length === 0 && skipTags.length === 0;
}

/** The configuration that a run was started with, without its secrets; undefined where nothing is left of it. */
export function configOfRun(runs: string, run: string): Cluster | undefined {
  return readKept<Cluster>(runs, run, 'config');
}

function readKept<T>(runs: string, run: string, name: string): T | undefined {
  try {
    return JSON.parse(readFileSync(join(runs, run, `${name}.json`), 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** What is on the local machine is nobody's cluster. */
function changedHost(replay: Replay): boolean {
  return [...replay.applied.keys()].some(
    (node) =>
      markOf(replay, node) !== 'leaves-nothing' &&
      !node.endsWith(`@${LOCAL}`) &&
      replay.last.get(node)?.phase !== 'ran',
  );
}

function hasBegun(replay: Replay): boolean {
  return [...replay.last].some(([node, { phase }]) => {
    if (markOf(replay, node) !== 'cluster-begun') return false;
    if (phase === 'intent' || phase === 'unknown') return replay.applied.has(node);
    return SUCCESS.has(phase);
  });
}

function undoneOn(replay: Replay): readonly string[] {
  return [...replay.last].flatMap(([node, { phase }]) =>
    SUCCESS.has(phase) && markOf(replay, node) === 'node-removed' ? [node.slice(node.lastIndexOf('@') + 1)] : [],
  );
}

const SUCCESS: ReadonlySet<Phase> = new Set(['satisfied', 'applied', 'done']);

function markOf({ marks }: Replay, node: string): Mark | undefined {
  return marks.get(node) ?? oldMark(node);
}
