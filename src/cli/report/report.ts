import type { Outcome, RunOutcome, RunReport } from '../../index.ts';
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

/** What came of a run, for the person who started it: how it ended, what failed and why, and what to do next. */
export async function reportRun(
  report: RunReport,
  typed: { readonly argv: readonly string[] },
  io: Io,
): Promise<string[]> {
  const { say, paintNote: paint, unicode } = io;
  const signs = signsFor(unicode);
  const sign = { succeeded: signs.done, failed: signs.failed, partial: signs.warning, interrupted: signs.warning }[
    report.outcome
  ];
  const outcome = say(`run.${report.outcome}`);
  const end = say('reportEnd', {
    pipeline: report.pipeline,
    cluster: report.cluster,
    outcome,
    time: durationText(report.durationMs, say),
  });
  const style = noteStyle(io);
  const notReached = await failureLines(report.unreachable, style);
  const failed = await failureLines(report.failures, style);
  const lost = report.lostHosts.filter((host) => report.unreachable.every((one) => one.host !== host));
  return [
    `${paint(STYLES[report.outcome], `${sign} ${end}`)}`,
    `  ${countsText(report, io)}`,
    ...block(notReached),
    ...block(failed),
    ...(lost.length === 0
      ? []
      : block([`${paint('yellow', say('reportLost'))}  ${lost.join(', ')} (${say('reportLostNote')})`])),
    '',
    ...fieldLines(
      [
        [say('reportLog'), report.logFile],
        ...(report.resumable ? [[say('reportResume'), resumeCommand(typed.argv, report.run)] as const] : []),
        ...(report.dryRun && report.changes > 0 ? [[say('reportNext'), say('reportAgain')] as const] : []),
      ],
      paint,
      '  ',
    ),
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
