import type { EventError, Outcome, RunOutcome, RunReport } from '../../index.ts';
import { failureLines, noteStyle } from '../failures.ts';
import type { Io } from '../io.ts';
import type { Style } from '../output/color.ts';
import { durationText } from '../output/duration.ts';
import { fieldLines } from '../output/table.ts';
import { resumeCommand } from '../resume-command.ts';
import { signsFor } from '../view/signs.ts';

const STYLES: Readonly<Record<RunOutcome, Style>> = {
  succeeded: 'boldGreen',
  failed: 'boldRed',
  partial: 'yellow',
  interrupted: 'yellow',
};

/** What the report cannot know by itself. */
export interface ReportContext {
  /** The words as typed. */
  readonly argv: readonly string[];
  /** Why hosts were lost on the way. */
  readonly lost: ReadonlyMap<string, EventError>;
}

/** What came of a run, for the person who started it: how it ended, what failed and why, and what to do next. */
export async function reportRun(report: RunReport, context: ReportContext, io: Io): Promise<string[]> {
  const { say, paintNote: paint } = io;
  const style = noteStyle(io);
  const notReached = await failureLines(report.unreachable, style);
  const failed = await failureLines(report.failures, style);
  const lost = report.lostHosts.filter((host) => report.unreachable.every((one) => one.host !== host));
  const explained = lost.flatMap((host) => {
    const error = context.lost.get(host);
    return error ? [{ host, error }] : [];
  });
  const unexplained = lost.filter((host) => !context.lost.has(host));
  return [
    headline(report, io),
    `  ${countsText(report, io)}`,
    ...block(notReached),
    ...block(failed),
    ...block(await failureLines(explained, style)),
    ...block(unexplained.length === 0 ? [] : [paint('yellow', say('reportLost', { hosts: unexplained.join(', ') }))]),
    '',
    ...fieldLines(nextSteps(report, context, io), paint, '  '),
  ];
}

function headline(report: RunReport, { say, paintNote: paint, unicode }: Io): string {
  const { done, failed, warning } = signsFor(unicode);
  const sign = { succeeded: done, failed, partial: warning, interrupted: warning }[report.outcome];
  const { pipeline, cluster, outcome, durationMs } = report;
  const end = say('reportEnd', {
    pipeline,
    cluster,
    outcome: say(`run.${outcome}`),
    time: durationText(durationMs, say),
  });
  return paint(STYLES[outcome], `${sign} ${end}`);
}

function nextSteps(report: RunReport, { argv }: ReportContext, { say }: Io): (readonly [string, string])[] {
  return [
    [say('reportLog'), report.logFile],
    ...(report.resumable ? [[say('reportResume'), resumeCommand(argv, report.run)] as const] : []),
    ...(report.dryRun && report.changes > 0 && report.outcome === 'succeeded'
      ? [[say('reportNext'), say('reportAgain')] as const]
      : []),
  ];
}

const ORDER: readonly Outcome[] = [
  'would-change',
  'would-run',
  'changed',
  'ran',
  'satisfied',
  'superseded',
  'failed',
  'dirty',
  'reverted',
  'unknown',
  'skipped',
];

function countsText(report: RunReport, { say, paintNote: paint }: Io): string {
  const parts = ORDER.flatMap((outcome) => {
    const n = report.counts[outcome] ?? 0;
    if (n === 0) return [];
    const bad = outcome === 'failed' || outcome === 'dirty';
    return [paint(bad ? 'red' : 'plain', say('countOutcome', { n, outcome: say(`outcome.${outcome}`) }))];
  });
  return parts.length === 0 ? say('reportNothing') : parts.join(say('listComma'));
}

function block(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}
