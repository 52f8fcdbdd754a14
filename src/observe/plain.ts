import { errorRemedy, errorTitle, type Lang } from '../model/errors/index.ts';
import type { EventChange, EventError, Outcome, RunEvent } from '../model/event.ts';
import { printable } from '../model/text/printable.ts';
import { inLanguage } from '../model/text/spoken.ts';
import { durationText, guessText, hostsText, outcomeTexts, runOutcomeTexts, say, stepsText } from './texts.ts';

/** How plain lines are written. */
export interface PlainOptions {
  readonly lang: Lang;
  /** Also what changed nothing, and what commands print. */
  readonly verbose?: boolean;
}

/** One line for each change of state, for output that is no terminal. Events that change nothing give none. */
export function plainLines(event: RunEvent, options: PlainOptions): string[] {
  return linesOf(event, options).map(printable);
}

/** What to say when nothing was said for a while; when that is, the caller decides. */
export function heartbeatLine(
  state: {
    readonly done: number;
    readonly nodes: number;
    readonly elapsedMs: number;
    readonly running: readonly string[];
    readonly builds?: Pick<Of<'build-progress'>, 'programs' | 'built' | 'share' | 'leftSeconds'> | undefined;
  },
  { lang }: PlainOptions,
): string {
  const time = [durationText(state.elapsedMs, lang), ...(state.builds ? [progressText(state.builds, lang)] : [])];
  const shared = { done: state.done, steps: stepsText(state.nodes, lang), time: time.join(say('list', lang)) };
  if (state.running.length === 0) return say('heartbeatIdle', lang, shared);
  const names = state.running.slice(0, 3).join(say('list', lang));
  const count = state.running.length - 3;
  return printable(
    say('heartbeat', lang, { ...shared, running: count > 0 ? say('more', lang, { names, count }) : names }),
  );
}

/** What a run builds from source, in one line. Empty: nothing. */
export function buildLines({ builds, dryRun }: Of<'run-started'>, { lang }: PlainOptions): string[] {
  if (builds === undefined) return [];
  const { programs, seconds, cores } = builds;
  return [
    say(dryRun ? 'wouldBuild' : 'builds', lang, {
      programs: say(programs === 1 ? 'program' : 'programs', lang, { n: programs }),
      time: guessText(seconds, lang),
      cores: say(cores === 1 ? 'core' : 'cores', lang, { n: cores }),
    }),
  ];
}

/** How far the builds are, in short. */
function progressText(
  { programs, built, share, leftSeconds }: Pick<Of<'build-progress'>, 'programs' | 'built' | 'share' | 'leftSeconds'>,
  lang: Lang,
): string {
  const time = guessText(leftSeconds, lang);
  return say('buildProgress', lang, { programs, built, share: Math.floor(share * 100), time });
}

// What a reader of plain lines need not see: nothing happened.
const QUIET: ReadonlySet<Outcome> = new Set(['satisfied', 'superseded', 'skipped']);

function linesOf(event: RunEvent, { lang, verbose = false }: PlainOptions): string[] {
  const time = (ms: number) => durationText(ms, lang);
  switch (event.type) {
    case 'run-started':
      return [runStarted(event, lang), ...buildLines(event, { lang })];
    case 'host-connected':
      return [say('connected', lang, { host: event.host, time: time(event.durationMs) })];
    case 'host-lost':
      return [
        say('ofHost', lang, { host: event.host, error: errorText(event.error, lang) }),
        ...quoted(event.error.detail),
      ];
    case 'node-started':
      return [say('started', lang, { node: event.node, title: event.title })];
    case 'node-attached':
      return [say('attached', lang, { node: event.node })];
    case 'node-progress':
    case 'build-progress':
      return [];
    case 'node-line':
      return verbose ? [say('line', lang, { node: event.node, line: event.line })] : [];
    case 'node-output':
      if (!verbose) return [];
      return [
        say('output', lang, { node: event.node, code: event.code }),
        ...quoted(event.stdout),
        ...quoted(event.stderr),
      ];
    case 'node-report':
      // Findings are data: the view that shows them makes the tables.
      return event.report.type === 'left' ? [say('left', lang, { host: event.host, text: event.report.text })] : [];
    case 'node-retry': {
      const { node, attempt, delaySeconds: delay, reason } = event;
      return [say('retry', lang, { node, attempt, delay, reason })];
    }
    case 'node-finished':
      return verbose || !QUIET.has(event.outcome) ? nodeFinished(event, lang, verbose) : [];
    case 'task-finished':
      return [
        say(event.outcome === 'ok' ? 'taskOk' : 'taskFailed', lang, { task: event.task, time: time(event.durationMs) }),
      ];
    case 'rollback-started':
      return [
        say('rollback', lang, { task: event.task, host: event.host, steps: stepsText(event.nodes.length, lang) }),
      ];
    case 'finalizers-started':
      return [say('finalizers', lang, { steps: stepsText(event.nodes, lang) })];
    case 'message':
      return inLanguage(event.text, lang).split('\n');
    case 'warning':
      return [
        say('warning', lang, { error: errorText(event.error, lang) }),
        ...quoted(event.error.detail),
        `    ${errorRemedy(event.error.code, event.error.params, lang)}`,
      ];
    case 'run-finished':
      return runFinished(event, lang);
  }
}

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

function runStarted(event: Of<'run-started'>, lang: Lang): string {
  const { pipeline, cluster, run } = event;
  const amounts = { steps: stepsText(event.nodes, lang), hosts: hostsText(event.hosts.length, lang) };
  const kind = `${event.dryRun ? say('dryRun', lang) : ''}${event.resumed ? say('resumed', lang) : ''}`;
  const about =
    event.estimateSeconds > 0 ? say('about', lang, { time: durationText(event.estimateSeconds * 1000, lang) }) : '';
  return `${kind}${say('runStarted', lang, { pipeline, cluster, run, ...amounts })}${about}`;
}

function nodeFinished(event: Of<'node-finished'>, lang: Lang, verbose: boolean): string[] {
  const outcome = outcomeTexts[event.outcome][lang];
  const end = say('finished', lang, { node: event.node, outcome, time: durationText(event.durationMs, lang) });
  const diff =
    event.outcome === 'would-change' || event.outcome === 'would-run' ? (event.diff ?? []).flatMap(changeLines) : [];
  if (event.error === undefined) return [end, ...diff];
  return [
    say('because', lang, { what: end, why: errorText(event.error, lang) }),
    ...quoted(event.error.detail),
    ...(verbose ? quoted(event.error.stack) : []),
    ...diff,
  ];
}

function runFinished(event: Of<'run-finished'>, lang: Lang): string[] {
  const { pipeline, cluster } = event;
  const outcome = runOutcomeTexts[event.outcome][lang];
  const end = say('runFinished', lang, { pipeline, cluster, outcome, time: durationText(event.durationMs, lang) });
  const counts = (Object.entries(event.counts) as [Outcome, number][])
    .filter(([, count]) => count > 0)
    .map(([name, count]) => say('count', lang, { count, outcome: outcomeTexts[name][lang] }));
  const failures = event.failures.flatMap(({ host, error }) => [
    `  ${say('ofHost', lang, { host, error: errorText(error, lang) })}`,
    `    ${errorRemedy(error.code, error.params, lang)}`,
  ]);
  const lost =
    event.lostHosts.length > 0
      ? [`  ${say('lostHosts', lang, { hosts: event.lostHosts.join(say('list', lang)) })}`]
      : [];
  const next = event.resumable && event.outcome !== 'succeeded' ? [`  ${say('resumable', lang)}`] : [];
  return [
    counts.length > 0 ? say('because', lang, { what: end, why: counts.join(say('list', lang)) }) : end,
    ...failures,
    ...lost,
    ...next,
  ];
}

function errorText(error: EventError, lang: Lang): string {
  return `${error.code} ${errorTitle(error.code, error.params, lang)}`;
}

function changeLines(change: EventChange): string[] {
  if (change.text !== undefined)
    return [`    ~ ${change.what}`, ...change.text.split('\n').map((line) => `      ${line}`)];
  if (change.from === undefined) return [`    + ${change.what}${change.to === undefined ? '' : `: ${change.to}`}`];
  if (change.to === undefined) return [`    - ${change.what}: ${change.from}`];
  return [`    ~ ${change.what}: ${change.from} → ${change.to}`];
}

/** What a host printed, set apart. */
function quoted(text: string | undefined): string[] {
  const lines = (text ?? '').split('\n').map((line) => line.trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `    | ${line}`);
}
