import type { EventError, Outcome, PathStep, RunEvent, RunOutcome } from '../model/event.ts';
import type { Machine } from '../model/host.ts';
import type { ExecutionGraph } from '../plan/graph.ts';
import type { Question } from '../plan/step.ts';
import type { NodeRecord, Replay, RunRecord } from './journal.ts';
import type { ManifestOptions } from './manifest.ts';

type DistributiveOmit<T, K extends string> = T extends unknown ? Omit<T, K> : never;

/** An event before it has its time and its run. */
export type NewEvent = DistributiveOmit<RunEvent, 'at' | 'run'>;

/** The part of the journal that running nodes write. */
export interface JournalWriter {
  append(record: NodeRecord | RunRecord): void;
  durable(record: NodeRecord | RunRecord): Promise<void>;
}

/** Which nodes take part. Without tags, all; `skipTags` wins. */
export interface Selection {
  readonly tags: readonly string[];
  readonly skipTags: readonly string[];
  /** Only these tasks. Default: all. */
  readonly tasks?: readonly string[];
  /** Of those, only on these hosts and on the local machine. Default: all. */
  readonly targets?: readonly string[];
}

/** How much happens at once. */
export interface Limits {
  readonly total: number;
  readonly perHost: number;
  /** Files on their way to hosts: all share the line of this machine. Default: no limit. */
  readonly sending?: number;
}

/** All that running a graph needs. */
export interface ExecuteOptions {
  readonly run: string;
  readonly graph: ExecutionGraph;
  /** Machines that answered, by host name, the local one among them. */
  readonly machines: ReadonlyMap<string, Machine>;
  /** Why the others did not. */
  readonly unreachable: ReadonlyMap<string, EventError>;
  readonly emit: (event: NewEvent) => void;
  readonly journal: JournalWriter;
  /** What an earlier process of this run did. */
  readonly replay: Replay | undefined;
  readonly dryRun: boolean;
  readonly onFailure: 'rollback' | 'keep';
  readonly selection: Selection | undefined;
  readonly limits: Limits;
  /** Aborted by the first Ctrl-C: nothing new starts. */
  readonly drain: AbortSignal;
  /** Aborted by the second: stop now. */
  readonly stop: AbortSignal;
  readonly ask: (question: Question) => Promise<string>;
  readonly redact: (secret: string) => void;
  /** The text of a secret of the configuration, by the path of its field. */
  readonly secret: (field: string) => string | undefined;
  /** What is changed on hosts is written into their manifests. */
  readonly manifest?: ManifestOptions | undefined;
}

/** One root cause. */
export interface Failure {
  readonly node: string;
  readonly host: string;
  readonly error: EventError;
}

/** What came of a graph. */
export interface ExecuteResult {
  readonly outcome: RunOutcome;
  readonly counts: Readonly<Partial<Record<Outcome, number>>>;
  readonly failures: readonly Failure[];
  readonly lostHosts: readonly string[];
  readonly criticalPathMs: number;
  /** The longest steps of the critical path, in its order. */
  readonly criticalPath: readonly PathStep[];
}
