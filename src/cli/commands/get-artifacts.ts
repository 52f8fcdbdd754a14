import type { ArtifactRow } from '../../index.ts';
import { chooseCluster } from '../choose-cluster.ts';
import type { CommandSpec } from '../command-spec.ts';
import type { Io } from '../io.ts';
import { bytesText } from '../output/duration.ts';
import { printRows } from '../output/print-data.ts';
import type { Column } from '../output/table.ts';
import { allFormats, configOptions, type Format, outputOption } from '../shared-options.ts';

/** `kubexm get artifacts` */
export const getArtifactsCommand: CommandSpec = {
  path: 'get artifacts',
  summary: 'cmd.get-artifacts',
  details: 'cmd.get-artifacts.details',
  examples: [
    { line: 'kubexm get artifacts -f config.yaml', text: 'ex.get-artifacts' },
    { line: 'kubexm get artifacts -f config.yaml -o wide', text: 'ex.get-artifacts-wide' },
  ],
  options: [...configOptions, outputOption(allFormats, 'table')],
  action: async (call) => {
    const { io, options } = call;
    const place = await chooseCluster(call);
    const { listArtifacts } = await import('../../index.ts');
    const rows = await listArtifacts({ ...place, env: io.env });
    const format = options.text('output') as Format;
    const shown = format === 'table' ? together(rows) : rows;
    printRows(io, format, shown, { columns: columns(io), name: (row) => row.id, value: (row) => row });
    if (format === 'table' || format === 'wide')
      for (const line of [...reasons(rows), totalLine(rows, io)]) io.note(line);
    return 0;
  },
};

/** The programs of one component in one line: some have dozens. */
function together(rows: readonly ArtifactRow[]): readonly ArtifactRow[] {
  const groupOf = ({ id, kind, component, arch, source, state }: ArtifactRow) =>
    kind === 'program' ? [component, arch, source, state].join(' ') : id;
  return [...Map.groupBy(rows, groupOf).values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined || some.length === 1) return some;
    const sizes = some.map(({ size }) => size);
    const size = sizes.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0);
    return [{ ...first, name: namesText(some.map(({ name }) => name)), size }];
  });
}

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, 4).join(', ');
  return names.length <= 4 ? shown : `${shown} … (${names.length})`;
}

function columns({ say }: Io): Column<ArtifactRow>[] {
  return [
    { title: say('col.component'), cell: (row) => row.component },
    { title: say('col.version'), cell: (row) => row.version },
    { title: say('col.arch'), cell: (row) => row.arch ?? '' },
    { title: say('col.kind'), cell: (row) => row.kind },
    { title: say('col.name'), cell: (row) => row.name },
    { title: say('col.size'), cell: (row) => (row.size === undefined ? '' : bytesText(row.size)), align: 'right' },
    { title: say('col.source'), cell: (row) => row.source ?? '' },
    { title: say('col.state'), cell: (row) => say(`artifact.${row.state}`), style: styleOf },
    { title: say('col.vouched'), cell: (row) => row.vouched ?? '', wide: true },
    { title: say('col.digest'), cell: (row) => row.sha256 ?? '', wide: true },
    { title: say('col.path'), cell: (row) => row.path, wide: true },
  ];
}

function styleOf({ state }: ArtifactRow) {
  if (state === 'ready') return 'green' as const;
  return state === 'changed' || state === 'absent' ? ('yellow' as const) : ('plain' as const);
}

/** Why no source offers a component: once, however many files it has. */
function reasons(rows: readonly ArtifactRow[]): readonly string[] {
  const known = rows.filter(({ reason }) => reason !== undefined);
  return [...new Set(known.map(({ component, version, reason }) => `${component} ${version}: ${reason}`))];
}

function totalLine(rows: readonly ArtifactRow[], { say }: Io): string {
  const here = rows.filter(({ state }) => state === 'ready');
  const size = bytesText(here.reduce((sum, row) => sum + (row.size ?? 0), 0));
  return say('artifacts.total', { ready: here.length, all: rows.length, size });
}
