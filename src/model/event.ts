import type { ErrorCode, Text } from './errors/index.ts';
import type { Mark } from './mark.ts';
import type { StepReport } from './report.ts';

/** How a node ended. The first four are success. */
export type Outcome =
  /** Already as wanted. */
  | 'satisfied'
  /** Changed, and checked afterwards. */
  | 'changed'
  /** An action ran: nothing lasting. */
  | 'ran'
  /** Its `until` holds: neither checked nor changed. */
  | 'superseded'
  /** Dry run: would change, would run. */
  | 'would-change'
  | 'would-run'
  | 'failed'
  /** Not started, because something it needs failed or the run was stopped. */
  | 'skipped'
  /** Its host was lost: nobody knows. */
  | 'unknown'
  /** Done, then rolled back because a later step of its task failed. */
  | 'reverted'
  /** Rolling back failed: half changed. */
  | 'dirty';

/** How a run ended. */
export type RunOutcome = 'succeeded' | 'failed' | 'partial' | 'interrupted';

/** A difference as shown to people; see plan/diff.ts. */
export interface EventChange {
  readonly what: string;
  readonly from?: string;
  readonly to?: string;
  readonly text?: string;
}

/** An error as it travels in events: text is made where it is shown. */
export interface EventError {
  readonly code: ErrorCode;
  readonly params: Readonly<Record<string, string | number>>;
  /** The last lines the host printed. */
  readonly detail?: string;
  /** Where in the program an unexpected error came from. For the log, and for people who ask with --debug. */
  readonly stack?: string;
}

/** For JSON.stringify: leaves stacks of errors out. */
export function withoutStacks(key: string, value: unknown): unknown {
  return key === 'stack' && typeof value === 'string' ? undefined : value;
}

/** Where in the four layers something happened. */
export interface NodeRef {
  readonly node: string;
  readonly host: string;
  readonly module: string;
  readonly task: string;
  readonly step: string;
  readonly kind: string;
  readonly title: string;
  readonly mark?: Mark;
}

interface Base {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly run: string;
}

type NodeEvent = Base & NodeRef;

/** A step of the chain that a run took its time for. */
export interface PathStep {
  readonly node: string;
  readonly durationMs: number;
}

/** Programs that a run builds from source. */
export interface PlannedBuilds {
  readonly programs: number;
  readonly seconds: number;
  readonly cores: number;
}

/** Everything a run does. The terminal, the log, the metrics, the event store and the web page read only this. */
export type RunEvent =
  | (Base & {
      readonly type: 'run-started';
      readonly pipeline: string;
      readonly cluster: string;
      readonly hosts: readonly string[];
      readonly nodes: number;
      readonly planHash: string;
      readonly dryRun: boolean;
      readonly resumed: boolean;
      /** Seconds along the longest path, from the steps' own estimates and from what getting the artifacts takes. */
      readonly estimateSeconds: number;
      /** What is built from source on the machine kubexm runs on, and how long getting all artifacts takes. Unset: nothing is built. */
      readonly builds?: PlannedBuilds;
    })
  | (Base & { readonly type: 'host-connected'; readonly host: string; readonly durationMs: number })
  | (Base & { readonly type: 'host-lost'; readonly host: string; readonly error: EventError })
  | (NodeEvent & { readonly type: 'node-started'; readonly diff: readonly EventChange[] })
  | (NodeEvent & { readonly type: 'node-attached' })
  | (NodeEvent & {
      readonly type: 'node-progress';
      readonly done: number;
      readonly total: number | undefined;
      readonly unit?: 'parts';
    })
  /** How far all builds from source are together. */
  | (Base & {
      readonly type: 'build-progress';
      readonly programs: number;
      readonly built: number;
      /** From 0 to 1. */
      readonly share: number;
      readonly leftSeconds: number;
    })
  | (NodeEvent & { readonly type: 'node-line'; readonly line: string })
  | (NodeEvent & {
      readonly type: 'node-output';
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
      /** There was more: only a part of it is here. */
      readonly truncated?: true;
    })
  | (NodeEvent & { readonly type: 'node-report'; readonly report: StepReport })
  | (NodeEvent & {
      readonly type: 'node-retry';
      readonly attempt: number;
      readonly delaySeconds: number;
      readonly reason: string;
    })
  | (NodeEvent & {
      readonly type: 'node-finished';
      readonly outcome: Outcome;
      readonly durationMs: number;
      readonly diff?: readonly EventChange[];
      readonly error?: EventError;
    })
  | (Base & {
      readonly type: 'task-finished';
      readonly task: string;
      readonly module: string;
      readonly outcome: 'ok' | 'failed';
      readonly durationMs: number;
    })
  | (Base & {
      readonly type: 'rollback-started';
      readonly task: string;
      readonly host: string;
      readonly nodes: readonly string[];
    })
  | (Base & { readonly type: 'finalizers-started'; readonly nodes: number })
  | (Base & { readonly type: 'message'; readonly text: string | Text; readonly node?: string })
  | (Base & { readonly type: 'warning'; readonly error: EventError })
  | (Base & {
      readonly type: 'run-finished';
      readonly pipeline: string;
      readonly cluster: string;
      readonly outcome: RunOutcome;
      readonly counts: Readonly<Partial<Record<Outcome, number>>>;
      readonly durationMs: number;
      /** The longest chain of waits that this run really had. */
      readonly criticalPathMs: number;
      /** The longest steps of that chain, in its order. A run that older versions have kept has none. */
      readonly criticalPath?: readonly PathStep[];
      /** Every root cause once. */
      readonly failures: readonly { readonly node: string; readonly host: string; readonly error: EventError }[];
      readonly lostHosts: readonly string[];
      readonly resumable: boolean;
    });

/** Takes events as they happen. Must not throw and must not wait. */
export type EventSink = (event: RunEvent) => void;
