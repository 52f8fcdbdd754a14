import type { EventReader, ExitCode, RunEvent } from '../../index.ts';
import { cliError } from '../cli-error.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { findRun, withHistory } from '../history.ts';
import { timeText } from '../output/duration.ts';
import { printRows } from '../output/print-data.ts';
import { allFormats, clusterOptions, type Format, outputOption } from '../shared-options.ts';

// A type that the union gains and this lacks does not compile.
const TYPES: Readonly<Record<RunEvent['type'], true>> = {
  'run-started': true,
  'host-connected': true,
  'host-lost': true,
  'node-started': true,
  'node-attached': true,
  'node-progress': true,
  'build-progress': true,
  'node-line': true,
  'node-output': true,
  'node-report': true,
  'node-retry': true,
  'node-finished': true,
  'task-finished': true,
  'rollback-started': true,
  'finalizers-started': true,
  message: true,
  warning: true,
  'run-finished': true,
};
const DEFAULT_LIMIT = 1000;

/** `kubexm get events` */
export const getEventsCommand: CommandSpec = {
  path: 'get events',
  summary: 'cmd.get-events',
  examples: [
    { line: 'kubexm get events --run last', text: 'ex.get-events' },
    { line: 'kubexm get events --host node1 --type node-finished --since 2h', text: 'ex.get-events-host' },
    { line: "kubexm get events --node 'etcd/install/*' -o json", text: 'ex.get-events-json' },
  ],
  options: [
    ...clusterOptions,
    { flags: '--run <run>', text: 'opt.run', kind: 'run' },
    { flags: '--node <pattern>', text: 'opt.node' },
    { flags: '--host <name>', text: 'opt.host', kind: 'node' },
    { flags: '--type <types>', text: 'opt.type', list: true, choices: Object.keys(TYPES) },
    { flags: '--since <time>', text: 'opt.since' },
    { flags: '--limit <count>', text: 'opt.limit', number: true },
    outputOption(allFormats, 'table'),
  ],
  action: (call) =>
    withHistory(call, async (readers, baseDir): Promise<ExitCode> => {
      const { io, options } = call;
      const { eventLines } = await import('../report/step-report.ts');
      const rows = collect(call, readers, baseDir);
      const format = options.text('output') as Format;
      if (rows.length === 0 && (format === 'table' || format === 'wide')) {
        io.note(io.say('events.none'));
        return 0;
      }
      const text = (event: RunEvent) => eventLines(event, { lang: io.lang, verbose: true })[0] ?? '';
      printRows<Row>(io, format, rows, {
        columns: [
          { title: io.say('col.time'), cell: ({ event }) => timeText(event.at) },
          { title: io.say('col.run'), cell: ({ event }) => event.run, wide: true },
          { title: io.say('col.type'), cell: ({ event }) => event.type, style: styleOf },
          { title: io.say('col.host'), cell: ({ event }) => ('host' in event ? event.host : '') },
          { title: io.say('col.what'), cell: ({ event }) => text(event) },
        ],
        name: ({ id }) => String(id),
        value: ({ event }) => event,
      });
      return 0;
    }),
};

type Row = ReturnType<EventReader['events']>[number];

function styleOf({ event }: Row): 'red' | 'yellow' | 'plain' {
  if (event.type === 'node-finished' && event.error !== undefined) return 'red';
  return event.type === 'host-lost' || event.type === 'warning' || event.type === 'rollback-started'
    ? 'yellow'
    : 'plain';
}

function collect({ options }: Call, readers: readonly EventReader[], baseDir: string): readonly Row[] {
  const run = options.text('run');
  const found = run === undefined ? undefined : findRun(readers, run, baseDir);
  const limit = options.number('limit') ?? DEFAULT_LIMIT;
  const since = options.text('since');
  const filter = {
    limit,
    ...(found ? { run: found.record.id } : {}),
    ...optional('node', options.text('node')),
    ...optional('host', options.text('host')),
    ...(options.list('type').length > 0 ? { type: options.list('type') as RunEvent['type'][] } : {}),
    ...(since === undefined ? {} : { since: sinceTime(since, Date.now()) }),
  };
  const stores = found ? [found.reader] : readers;
  return stores
    .flatMap((reader) => reader.events(filter))
    .sort((a, b) => a.event.at - b.event.at)
    .slice(-limit);
}

function optional<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: string });
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `15m`, `2h`, `3d` ago, or a date. */
export function sinceTime(text: string, now: number): number {
  const span = /^(\d+)([smhd])$/.exec(text);
  if (span) return now - Number(span[1]) * (UNITS[span[2] ?? ''] ?? 0);
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(date)) return date;
  throw cliError('KX1006', {
    value: text,
    option: '--since',
    allowed: '30s, 15m, 2h, 3d, 2026-01-31, 2026-01-31T12:00:00Z',
  });
}
