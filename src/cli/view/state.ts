import type { EventError, Outcome, RunEvent } from '../../index.ts';

/** How far a step is, and since when it has been counted, for the rate. */
export interface StepProgress {
  readonly done: number;
  readonly total: number | undefined;
  readonly unit?: 'parts';
  readonly first: { readonly done: number; readonly at: number };
}

/** A step that is at work on a host. */
export interface RunningStep {
  readonly node: string;
  readonly host: string;
  readonly task: string;
  readonly step: string;
  readonly title: string;
  readonly since: number;
  /** The last line it printed. */
  readonly line?: string;
  readonly progress?: StepProgress;
  readonly attempt?: { readonly number: number; readonly at: number; readonly reason: string };
}

/** A task over all of its hosts. */
export interface TaskState {
  readonly id: string;
  readonly since: number;
  readonly hosts: ReadonlySet<string>;
  readonly done: number;
  readonly changed: number;
  readonly running: number;
  readonly failedHosts: number;
  /** Hosts on which it is being undone. */
  readonly rollingBack: readonly string[];
  readonly ended?: { readonly outcome: 'ok' | 'failed'; readonly durationMs: number };
}

/** A root cause. */
export interface FailureState {
  readonly node: string;
  readonly host: string;
  readonly error: EventError;
}

/** How far all builds from source are together, as it was said at a time. */
export type BuildsState = Pick<
  Extract<RunEvent, { type: 'build-progress' }>,
  'at' | 'programs' | 'built' | 'share' | 'leftSeconds'
>;

/** All that the live view knows: made from events alone. */
export interface ViewState {
  readonly pipeline: string;
  readonly cluster: string | undefined;
  readonly run: string | undefined;
  readonly dryRun: boolean;
  readonly resumed: boolean;
  readonly since: number;
  readonly estimateSeconds: number;
  /** Unset: nothing is built. */
  readonly builds: BuildsState | undefined;
  readonly hosts: number;
  readonly lostHosts: number;
  readonly nodes: number;
  readonly done: number;
  readonly counts: Readonly<Partial<Record<Outcome, number>>>;
  /** Cleaning up: the finalizers run. */
  readonly finalizing: boolean;
  /** In the order they began. */
  readonly tasks: ReadonlyMap<string, TaskState>;
  readonly running: ReadonlyMap<string, RunningStep>;
  readonly failures: readonly FailureState[];
  readonly ended: Extract<RunEvent, { type: 'run-finished' }> | undefined;
}

/** The state before the first event, while hosts are being connected. */
export function initialState(pipeline: string, now: number): ViewState {
  return {
    pipeline,
    cluster: undefined,
    run: undefined,
    dryRun: false,
    resumed: false,
    since: now,
    estimateSeconds: 0,
    builds: undefined,
    hosts: 0,
    lostHosts: 0,
    nodes: 0,
    done: 0,
    counts: {},
    finalizing: false,
    tasks: new Map(),
    running: new Map(),
    failures: [],
    ended: undefined,
  };
}
