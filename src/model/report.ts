import type { ErrorCode } from './errors/index.ts';

/** Something that a check found: the text is made where it is shown. A type, so that it is Json too. */
export type Finding = {
  readonly code: ErrorCode;
  readonly params: { readonly [name: string]: string | number };
  /** The same in every language, as `nginx (pid 812)`. */
  readonly note?: string;
};

/** How bad a finding is: an error ends the run, a warning is for people to know, info is for the curious. */
export type Severity = 'error' | 'warning' | 'info';

/** Equal findings of many hosts as one, with what differs between them. */
export interface FindingGroup extends Omit<Finding, 'note'> {
  readonly severity: Severity;
  readonly hosts: readonly string[];
  /** Notes, and the hosts that they hold for. */
  readonly notes: readonly { readonly note: string; readonly hosts: readonly string[] }[];
}

/** What is tried in a cluster that is to work. `pod`: that there is one to try with. */
export type SmokeCheck = 'pod' | 'pod-to-pod' | 'dns' | 'service' | 'node-port' | 'logs' | 'exec';

/** How one of them ended. */
export interface SmokeResult {
  readonly check: SmokeCheck;
  readonly from: string;
  readonly to: string;
  /** What is wrong; null where nothing is. */
  readonly finding: Finding | null;
}

/** How one part of a cluster is. */
export interface HealthRow {
  readonly part: 'node' | 'control-plane' | 'add-on';
  readonly name: string;
  /** `Ready`, `1/2`. */
  readonly state: string;
  /** The same in every language. */
  readonly details: string;
  /** What is wrong; null where nothing is. */
  readonly finding: Finding | null;
}

/** What scripts can report. */
export type LeftReport = Extract<StepReport, { type: 'left' }>;

/** What a step tells beside its value. */
export type StepReport =
  /** Something stays on the machine that undoing the step was to take away, and why. */
  | { readonly type: 'left'; readonly text: string }
  /** Something that people should know, on the host of the step. */
  | { readonly type: 'finding'; readonly finding: Finding }
  /** What the checks before a cluster found, the worst first. `isPart`: a dry run, which listens on no port and measures no disk. */
  | {
      readonly type: 'preflight';
      readonly hosts: number;
      readonly isPart: boolean;
      readonly findings: readonly FindingGroup[];
    }
  | { readonly type: 'smoke'; readonly results: readonly SmokeResult[] }
  | { readonly type: 'health'; readonly cluster: string; readonly rows: readonly HealthRow[] };

/**
 * How a script ends that undoes nothing because what is there is not its own (`kx_leave`). It has then reported what is left: for
 * `reset` that is an end, for a rollback it is a failure.
 */
export const LEFT_CODE = 65;
