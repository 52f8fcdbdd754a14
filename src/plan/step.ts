import type { Effect } from '../model/effect.ts';
import type { Text } from '../model/errors/entry.ts';
import type { KubexmError } from '../model/errors/index.ts';
import type { Host, Output } from '../model/host.ts';
import type { StepReport } from '../model/report.ts';
import type { Script } from '../model/script.ts';
import type { Diff } from './diff.ts';
import type { Wanted } from './ref.ts';

/** What a check found. `needed` keeps what was seen, so that it can be put back. */
export type Verdict<S, O> =
  | { readonly verdict: 'satisfied'; readonly output: O }
  | { readonly verdict: 'needed'; readonly seen: S; readonly diff: Diff }
  | { readonly verdict: 'half'; readonly seen: S; readonly why: string };

/** The machine is as wanted; `output` is the step's value, read back from it. */
export function satisfied(): Verdict<never, undefined>;
export function satisfied<O>(output: O): Verdict<never, O>;
export function satisfied(output?: unknown): Verdict<never, unknown> {
  return { verdict: 'satisfied', output };
}

/** The machine differs: what was seen, and what will change. */
export function needed<S>(seen: S, diff: Diff): Verdict<S, never> {
  return { verdict: 'needed', seen, diff };
}

/** A once-only step was begun and not finished: it is undone by the step's own revert and applied again. */
export function half<S>(seen: S, why: string): Verdict<S, never> {
  return { verdict: 'half', seen, why };
}

/** A question for the person at the terminal. */
export interface Question {
  readonly text: string | Text;
  /** Answered with yes when the run may not ask (`--yes`). */
  readonly confirm?: boolean;
  readonly secret?: boolean;
}

/** What `apply` may use beside the machine: no configuration, no engine, no other host. */
export interface StepIo {
  readonly signal: AbortSignal;
  /** How far the work is. `unit`: what is counted. Default: bytes. */
  progress(done: number, total: number | undefined, unit?: 'bytes' | 'parts'): void;
  /** Tells something typed beside the step's value. */
  report(report: StepReport): void;
  /** Shows lines to the person: a message, a table. */
  say(text: string | Text): void;
  /** What the work is at right now: one line beside the step, replaced by the next. */
  line(text: string): void;
  /** All that a step which `sends` has to send has arrived: others may, while it goes on. */
  sent(): void;
  ask(question: Question): Promise<string>;
  /** Marks a value so that no log, event or journal ever shows it. */
  redact(secret: string): void;
  /** The text of a secret of the configuration, by the path of its field; it is redacted everywhere already. */
  secret(field: string): string | undefined;
}

/** What `predict` may use. It neither touches a machine nor waits. */
export interface PredictIo extends Pick<StepIo, 'report' | 'say'> {
  /** The run would fail here, with this error. The dry run shows the rest all the same, and ends as the run would. */
  wouldFail(error: KubexmError): void;
}

/** A failure that is worth another try, and how often. */
export interface Retry {
  readonly attempts: number;
  readonly delaySeconds: number;
  /** Says which failures are transient: everything else fails at once. */
  transient(failure: Output | Error): boolean;
  /**
   * Whether the check after a change could not look, because the service it asked did not answer for a moment. Default:
   * never, a check that is not satisfied is a failure.
   */
  unanswered?(seen: Output): boolean;
}

/**
 * What a step leaves behind.
 * `state`: something on the machine that a probe can see. `action`: nothing lasting (a message, a wait, a one-off command);
 * it runs every time and is no change. `mint`: a short-lived secret, made only when a consumer is about to use it.
 */
export type Nature = 'state' | 'action' | 'mint';

/** Why a step may not be dropped silently; see `guard`. */
export type Guard = 'question' | 'checks' | 'cleanup';

type Of<W, T> = T | ((want: W) => T);

/** The definition of a kind of step. See ARCHITECTURE.md for who calls what, and when. */
export interface StepDefinition<W, S, O> {
  readonly kind: string;
  /** One line for the step reference. */
  readonly description: string;
  readonly title: (want: W) => string;
  readonly nature?: Of<W, Nature>;
  /** A read-only script. Joined with the host's other probes into one round trip. */
  readonly probe?: (want: W) => Script;
  /** Pure: what the probe's answer means. Secret values of `want` are masked here. */
  readonly judge?: (seen: Output, want: W) => Verdict<S, O>;
  /** Changes the machine: a script for the engine to run, or the work itself. May run again after a crash. */
  readonly apply: (host: Host, want: W, io: StepIo) => Script | Promise<O | undefined> | Promise<void>;
  /**
   * Runs in a dry run instead of `apply`: returns and reports what is known without touching a machine. In the values of all hosts,
   * those that a dry run does not have are missing.
   */
  readonly predict?: (host: Host, want: W, io: PredictIo) => O | undefined;
  /** A minted secret that is older is made again for the next node that uses it. Default: one does for the whole run. */
  readonly freshSeconds?: Of<W, number | undefined>;
  /** The value of an action or mint that returned a script. */
  readonly result?: (output: Output, want: W) => O;
  /** Exit codes of an applied script that mean success. Default: 0 only. */
  readonly successCodes?: (want: W) => readonly number[];
  /** Paths whose before-image is kept on the machine before `apply`; without `revert`, reverting restores them. */
  readonly saves?: (want: W) => readonly string[] | Script;
  /** Puts back what was seen. */
  readonly revert?: (host: Host, want: W, before: S) => Script | Promise<void>;
  /**
   * The resources beside files that it changes, one name each: `service:etcd.service`, `sysctl:vm.swappiness`. The manifest
   * keeps the first `seen` of each, and `reset` gives it to `revert`. Default: one name made of kind and title.
   */
  readonly owns?: (want: W) => readonly string[];
  /** What others make on the machine because of it; `reset` removes what was not there before. */
  readonly effects?: (want: W) => readonly Effect[];
  /**
   * Why a selection does not drop it silently. A `question` is asked whenever a step behind it takes part; `checks` that are
   * left out are reported. A `cleanup` removes what must not outlive the run: it runs whenever a step before it that mints a
   * secret takes part, on whatever hosts, and also after the first Ctrl-C.
   */
  readonly guard?: Of<W, Guard | undefined>;
  /** Why it cannot be undone; shown in the plan. */
  readonly irreversible?: Of<W, string | undefined>;
  /** Must never be done twice: its intent is durable before it starts, it runs as a job, its judge can say `half`. */
  readonly once?: boolean;
  /** Runs as a job on the host, which survives a lost connection and a killed kubexm. */
  readonly job?: Of<W, boolean>;
  /** Sends big files of this machine by `put`. Few steps do so at a time, those first that most is waiting for. */
  readonly sends?: boolean;
  /**
   * Only fills a cache of the machine kubexm runs on. What it got stays whatever happens, so it is never rolled back, and its work
   * may be cut at any moment: the first Ctrl-C ends it. Default false.
   */
  readonly caches?: boolean;
  readonly timeoutSeconds?: Of<W, number>;
  readonly retry?: (want: W) => Retry | undefined;
  /** A guess of its duration when it changes something, for the critical path. Default 1. */
  readonly estimateSeconds?: Of<W, number>;
  /** A plain `want` for the reference and the contract test. */
  readonly example: W;
}

/** A step definition whose types are no longer known: what the engine handles. */
// biome-ignore lint/suspicious/noExplicitAny: the types met when the node was made; the engine only passes values along.
export type AnyStep = StepDefinition<any, any, any>;

/** A step with what it should achieve, named within its task: a node before it has hosts. */
export interface StepUse<O = unknown> {
  readonly name: string;
  readonly step: AnyStep;
  readonly want: Wanted<unknown>;
  readonly weight: number;
  /** Only for the compiler: the type of the value it produces. */
  readonly output?: O;
}

/** A kind of step: call it with a `want` to get a use of it. */
export interface Step<W, S, O> {
  (want: Wanted<W>): StepUse<O>;
  readonly definition: StepDefinition<W, S, O>;
}

/** Defines a step. Curried so that `want` is given and the rest inferred. */
export function defineStep<W>(): <S, O>(definition: StepDefinition<W, S, O>) => Step<W, S, O> {
  return <S, O>(definition: StepDefinition<W, S, O>): Step<W, S, O> => {
    const make = (want: Wanted<W>): StepUse<O> => ({
      name: definition.kind,
      step: definition,
      want: want as Wanted<unknown>,
      weight: weightOf(definition, want),
    });
    return Object.assign(make, { definition });
  };
}

/** The estimate for the critical path. One that cannot be made before a Ref's value is known is no reason to fail. */
function weightOf<W>(
  definition: Pick<StepDefinition<W, unknown, unknown>, 'estimateSeconds'>,
  want: Wanted<W>,
): number {
  try {
    const seconds = fieldOf(definition.estimateSeconds, want as W, 1);
    return Number.isFinite(seconds) && seconds >= 0 ? seconds : 1;
  } catch {
    return 1;
  }
}

/** A dedicated step: a generic one with a name and a purpose, the only thing tasks are made of. */
export interface DedicatedStep<P, O> {
  (params: P): StepUse<O>;
  readonly stepName: string;
  readonly description: string;
  readonly kind: string;
}

/** Names a use of a generic step for a domain: `etcd.ts` defines the dedicated steps of etcd. */
export function dedicated<P, O>(
  stepName: string,
  generic: { readonly definition: { readonly kind: string } },
  description: string,
  make: (params: P) => StepUse<O>,
): DedicatedStep<P, O> {
  const use = (params: P): StepUse<O> => ({ ...make(params), name: stepName });
  return Object.assign(use, { stepName, description, kind: generic.definition.kind });
}

/** A field that may be given as a value or computed from the want. */
export function fieldOf<W, T>(field: Of<W, T> | undefined, want: W, fallback: T): T {
  if (field === undefined) return fallback;
  return typeof field === 'function' ? (field as (want: W) => T)(want) : field;
}
