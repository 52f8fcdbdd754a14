import type { ClusterRow } from '../../index.ts';
import type { CommandSpec } from '../command-spec.ts';
import type { Io } from '../io.ts';
import { ageText } from '../output/age.ts';
import { printRows } from '../output/print-data.ts';
import { clusterStyle } from '../output/states.ts';
import type { Column } from '../output/table.ts';
import { allFormats, type Format, outputOption } from '../shared-options.ts';

/** `kubexm get clusters` */
export const getClustersCommand: CommandSpec = {
  path: 'get clusters',
  summary: 'cmd.get-clusters',
  details: 'cmd.get-clusters.details',
  examples: [
    { line: 'kubexm get clusters', text: 'ex.get-clusters' },
    { line: 'kubexm get clusters -o wide', text: 'ex.get-clusters-wide' },
  ],
  options: [outputOption(allFormats, 'table')],
  action: async ({ io, options }) => {
    const { listClusters } = await import('../../index.ts');
    const rows = await listClusters(io.env);
    const format = options.text('output') as Format;
    if (rows.length === 0 && (format === 'table' || format === 'wide')) io.note(io.say('contexts.none'));
    else printRows(io, format, rows, { columns: columns(io), name: (row) => row.name, value: (row) => row });
    return 0;
  },
};

function columns({ say }: Io): Column<ClusterRow>[] {
  const now = Date.now();
  const count = (n: number | null) => (n === null ? '' : String(n));
  return [
    { title: say('col.current'), cell: (row) => (row.current ? '*' : ' '), style: () => 'green' },
    { title: say('col.name'), cell: (row) => row.name, style: (row) => (row.current ? 'bold' : 'plain') },
    { title: say('col.status'), cell: (row) => say(`cluster.${row.status}`), style: (row) => clusterStyle(row.status) },
    { title: say('col.version-kubernetes'), cell: (row) => row.kubernetesVersion ?? '' },
    { title: say('col.masters'), cell: (row) => count(row.masters), align: 'right' },
    { title: say('col.workers'), cell: (row) => count(row.workers), align: 'right' },
    {
      title: say('col.age'),
      cell: (row) => (row.since === null ? '' : ageText(now - row.since, say)),
      align: 'right',
    },
    { title: say('col.file'), cell: (row) => row.configFile },
    { title: say('col.directory'), cell: (row) => row.baseDir, wide: true },
    {
      title: say('col.last-run'),
      cell: ({ lastRun }) => (lastRun ? `${lastRun.pipeline} ${lastRun.id}` : ''),
      wide: true,
    },
  ];
}
