import type { ExitCode, RunRecord } from '../../index.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { listRuns, runDuration, statusOf, withHistory } from '../history.ts';
import { durationText, timeText } from '../output/duration.ts';
import { printRows } from '../output/print-data.ts';
import type { Column } from '../output/table.ts';
import { allFormats, clusterOptions, type Format, outputOption } from '../shared-options.ts';

/** `kubexm get runs` */
export const getRunsCommand: CommandSpec = {
  path: 'get runs',
  summary: 'cmd.get-runs',
  details: 'cmd.get-runs.details',
  examples: [
    { line: 'kubexm get runs', text: 'ex.get-runs' },
    { line: 'kubexm get runs --limit 5 -o wide', text: 'ex.get-runs-wide' },
    { line: 'kubexm get runs -c prod -o json', text: 'ex.get-runs-json' },
  ],
  options: [
    ...clusterOptions,
    { flags: '--pipeline <name>', text: 'opt.pipeline' },
    { flags: '--limit <count>', text: 'opt.limit', number: true },
    outputOption(allFormats, 'table'),
  ],
  action: (call) =>
    withHistory<ExitCode>(call, (readers) => {
      const { io, options } = call;
      const pipeline = options.text('pipeline');
      const runs = listRuns(readers, {
        limit: options.number('limit') ?? 50,
        ...(pipeline === undefined ? {} : { pipeline }),
      });
      const format = options.text('output') as Format;
      if (runs.length === 0 && (format === 'table' || format === 'wide')) io.note(io.say('runs.none'));
      else printRows(io, format, runs, { columns: columnsFor(call), name: (run) => run.id, value: (run) => run });
      return 0;
    }),
};

function columnsFor({ io }: Call): Column<RunRecord>[] {
  const { say } = io;
  const now = Date.now();
  const count = (run: RunRecord, ...names: (keyof RunRecord['counts'])[]) =>
    String(names.reduce((sum, name) => sum + (run.counts[name] ?? 0), 0));
  return [
    { title: say('col.run'), cell: (run) => run.id },
    { title: say('col.pipeline'), cell: (run) => (run.dryRun ? `${run.pipeline} (${say('dryRun')})` : run.pipeline) },
    { title: say('col.cluster'), cell: (run) => run.cluster },
    { title: say('col.status'), cell: (run) => say(statusOf(run).key), style: (run) => statusOf(run).style },
    { title: say('col.started'), cell: (run) => timeText(run.startedAt) },
    { title: say('col.duration'), cell: (run) => durationText(runDuration(run, now), say), align: 'right' },
    { title: say('col.changed'), cell: (run) => count(run, 'changed', 'would-change'), align: 'right' },
    { title: say('col.failed'), cell: (run) => count(run, 'failed', 'dirty'), align: 'right' },
    { title: say('col.steps'), cell: (run) => String(run.nodes), align: 'right', wide: true },
    { title: say('col.hosts'), cell: (run) => String(run.hosts.length), align: 'right', wide: true },
    { title: say('col.starts'), cell: (run) => String(run.starts), align: 'right', wide: true },
    { title: say('col.plan'), cell: (run) => run.planHash.slice(0, 19), wide: true },
  ];
}
