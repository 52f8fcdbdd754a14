import { join } from 'node:path';
import type { ExitCode, Outcome, PathStep, RunEvent, RunRecord } from '../../index.ts';
import type { CommandSpec } from '../command-spec.ts';
import { failureLines } from '../failures.ts';
import { type FoundRun, findRun, isResumable, runDuration, statusOf, withHistory } from '../history.ts';
import type { Io } from '../io.ts';
import { durationText, timeText } from '../output/duration.ts';
import { printValue } from '../output/print-data.ts';
import { fieldLines, tableLines } from '../output/table.ts';
import { resumeOfRun } from '../resume-command.ts';
import { allFormats, clusterOptions, type Format, outputOption } from '../shared-options.ts';
import { countText } from '../texts/index.ts';

const SLOWEST = 10;

/** `kubexm describe run RUN` */
export const describeRunCommand: CommandSpec = {
  path: 'describe run',
  summary: 'cmd.describe-run',
  details: 'cmd.describe-run.details',
  examples: [
    { line: 'kubexm describe run last', text: 'ex.describe-run' },
    { line: 'kubexm describe run 20260131-120000-abcdef -o yaml', text: 'ex.describe-run-yaml' },
  ],
  arguments: [{ name: '<run>', text: 'arg.run', kind: 'run' }],
  options: [...clusterOptions, outputOption(allFormats, 'table')],
  action: (call) =>
    withHistory(call, async (readers, baseDir): Promise<ExitCode> => {
      const { io, options, args } = call;
      const format = options.text('output') as Format;
      const found = findRun(readers, args[0] ?? 'last', baseDir);
      const { record } = found;
      const slowest = slowestSteps(found);
      const { workDirOf } = await import('../../index.ts');
      const runDir = join(workDirOf(baseDir, record.cluster).runs, record.id);
      const resume = isResumable(record) ? await resumeOfRun(record, runDir, io) : undefined;
      if (format === 'name') io.print(record.id);
      else if (format === 'json' || format === 'yaml') {
        printValue(io, format, {
          ...record,
          durationMs: runDuration(record, Date.now()),
          slowest,
          resume: resume ?? null,
        });
      } else
        io.print(
          await describe(record, slowest, { resume, log: join(runDir, 'log.jsonl'), wide: format === 'wide' }, io),
        );
      return 0;
    }),
};

interface Slow {
  readonly node: string;
  readonly host: string;
  readonly outcome: Outcome;
  readonly durationMs: number;
}

function slowestSteps({ reader, record }: FoundRun): readonly Slow[] {
  const ended = reader.events({ run: record.id, type: 'node-finished', limit: 1_000_000 });
  // A resumed run ends some steps more than once.
  const longest = new Map<string, Extract<RunEvent, { type: 'node-finished' }>>();
  for (const { event } of ended) {
    if (event.type !== 'node-finished' || event.durationMs < (longest.get(event.node)?.durationMs ?? 0)) continue;
    longest.set(event.node, event);
  }
  return [...longest.values()]
    .sort((a, b) => b.durationMs - a.durationMs)
    .slice(0, SLOWEST)
    .map(({ node, host, outcome, durationMs }) => ({ node, host, outcome, durationMs }));
}

async function describe(
  record: RunRecord,
  slowest: readonly Slow[],
  { resume, log, wide }: { readonly resume: string | undefined; readonly log: string; readonly wide: boolean },
  io: Io,
): Promise<string[]> {
  const { say, paint } = io;
  const status = statusOf(record);
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', paint('cyan', title), ...lines];
  const failures = record.finished
    ? await failureLines(record.finished.failures, {
        lang: io.lang,
        paint,
        unicode: io.unicode,
        width: io.stdout.isTTY ? (io.stdout.columns ?? 80) : Number.POSITIVE_INFINITY,
      })
    : [];
  return [
    ...fieldLines(
      [
        [say('col.run'), record.id],
        [say('col.pipeline'), record.dryRun ? `${record.pipeline} (${say('dryRun')})` : record.pipeline],
        [say('col.cluster'), record.cluster],
        [say('col.status'), paint(status.style, say(status.key))],
        [
          say('col.started'),
          record.starts > 1
            ? say('describe.starts', { time: timeText(record.startedAt), n: record.starts })
            : timeText(record.startedAt),
        ],
        [say('col.duration'), durationText(runDuration(record, Date.now()), say)],
        ...(record.finished
          ? [[say('describe.criticalPath'), durationText(record.finished.criticalPathMs, say)] as const]
          : []),
        [say('col.hosts'), wide ? record.hosts.join(', ') : String(record.hosts.length)],
        [say('col.steps'), countsText(record, io)],
        [say('col.log'), log],
        ...(wide ? [[say('col.plan'), record.planHash] as const] : []),
      ],
      paint,
    ),
    ...section(say('describe.failures'), failures),
    ...section(
      say('describe.lost'),
      (record.finished?.lostHosts ?? []).map((host) => `  ${host}`),
    ),
    ...section(say('describe.path'), pathLines(record.finished?.criticalPath ?? [], wide, io)),
    ...section(say('describe.slowest'), slowestLines(slowest, io)),
    ...section(say('describe.resume'), resume === undefined ? [] : [`  ${resume}`]),
  ];
}

function countsText(record: RunRecord, { say }: Io): string {
  const parts = Object.entries(record.counts)
    .filter(([, n]) => n > 0)
    .map(([outcome, n]) => say('countOutcome', { n, outcome: say(`outcome.${outcome as Outcome}`) }));
  const all = countText(say, 'step', record.nodes);
  return parts.length === 0 ? all : say('colon', { name: all, value: parts.join(say('listComma')) });
}

/** The path itself: its longest steps, in the order in which they came. */
function pathLines(path: readonly PathStep[], wide: boolean, { say, paint }: Io): string[] {
  const longest = new Set([...path].sort((a, b) => b.durationMs - a.durationMs).slice(0, SLOWEST));
  const shown = wide ? path : path.filter((one) => longest.has(one));
  if (shown.length === 0) return [];
  return tableLines<PathStep>(
    [
      { title: say('col.duration'), cell: (one) => durationText(one.durationMs, say), align: 'right' },
      { title: say('col.step'), cell: (one) => one.node },
    ],
    shown,
    paint,
  ).map((line) => `  ${line}`);
}

function slowestLines(slowest: readonly Slow[], { say, paint }: Io): string[] {
  if (slowest.length === 0) return [];
  return tableLines<Slow>(
    [
      { title: say('col.duration'), cell: (one) => durationText(one.durationMs, say), align: 'right' },
      { title: say('col.outcome'), cell: (one) => say(`outcome.${one.outcome}`) },
      { title: say('col.step'), cell: (one) => one.node },
    ],
    slowest,
    paint,
  ).map((line) => `  ${line}`);
}
