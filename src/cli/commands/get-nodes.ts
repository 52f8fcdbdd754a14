import type { LiveCluster, LiveNode, NodeRow } from '../../index.ts';
import { chooseCluster } from '../choose-cluster.ts';
import type { CommandSpec } from '../command-spec.ts';
import type { Io } from '../io.ts';
import { askLive } from '../live.ts';
import { ageText } from '../output/age.ts';
import { bytesText, timeText } from '../output/duration.ts';
import { printRows } from '../output/print-data.ts';
import { nodeStyle, truthStyle } from '../output/states.ts';
import type { Column } from '../output/table.ts';
import { sshOptions } from '../run-options.ts';
import { allFormats, configOptions, type Format, outputOption } from '../shared-options.ts';

/** `kubexm get nodes` */
export const getNodesCommand: CommandSpec = {
  path: 'get nodes',
  summary: 'cmd.get-nodes',
  details: 'cmd.get-nodes.details',
  examples: [
    { line: 'kubexm get nodes -f config.yaml', text: 'ex.get-nodes' },
    { line: 'kubexm get nodes -f config.yaml --live', text: 'ex.get-nodes-live' },
    { line: 'kubexm get nodes -c prod -o json', text: 'ex.get-nodes-json' },
  ],
  options: [...configOptions, { flags: '--live', text: 'opt.live' }, ...sshOptions, outputOption(allFormats, 'table')],
  action: async (call) => {
    const { io, options } = call;
    const place = await chooseCluster(call);
    const { listNodes } = await import('../../index.ts');
    const known = await listNodes(place);
    const live = options.flag('live') ? await askLive(place, call) : undefined;
    const rows = live ? together(known, live) : known.map((row) => ({ ...row, inFile: true }));
    const format = options.text('output') as Format;
    printRows<Row>(io, format, rows, {
      columns: [...columns(io), ...(live ? liveColumns(io) : [])],
      name: (row) => row.name,
      value: ({ inFile: _inFile, ...row }) => row,
    });
    if (live && (format === 'table' || format === 'wide')) io.note(io.say('live.through', { host: live.through }));
    return 0;
  },
};

/** A host of the file, a node of the cluster, or both. */
type Row = NodeRow & { readonly inFile: boolean; readonly live?: LiveNode | null };

/** What the file and the cluster say about the same names; what only the cluster has comes last. */
function together(known: readonly NodeRow[], live: LiveCluster): readonly Row[] {
  const byName = new Map(live.nodes.map((node) => [node.name, node]));
  const names = new Set(known.map((row) => row.name));
  const others = live.nodes.filter((node) => !names.has(node.name));
  return [
    ...known.map((row): Row => ({ ...row, inFile: true, live: byName.get(row.name) ?? null })),
    ...others.map((node): Row => ({ ...foreign(node.name), live: node })),
  ];
}

function foreign(name: string): Row {
  const unknown = { os: null, arch: null, kernel: null, cpus: null, memoryBytes: null, lastRun: null };
  return { name, address: '', internalAddresses: [], roles: [], state: 'new', ...unknown, inFile: false };
}

function columns({ say }: Io): Column<Row>[] {
  return [
    { title: say('col.name'), cell: (row) => row.name },
    { title: say('col.address'), cell: (row) => row.address },
    { title: say('col.roles'), cell: (row) => row.roles.join(',') },
    {
      title: say('col.state'),
      cell: (row) => (row.inFile ? say(`node.${row.state}`) : say('live.foreign')),
      style: (row) => nodeStyle(row.state),
    },
    { title: say('col.os'), cell: (row) => row.os ?? '' },
    { title: say('col.arch'), cell: (row) => row.arch ?? '' },
    { title: say('col.last-run'), cell: ({ lastRun }) => lastRunText(lastRun) },
    { title: say('col.internal'), cell: (row) => row.internalAddresses.join(','), wide: true },
    { title: say('col.kernel'), cell: (row) => row.kernel ?? '', wide: true },
    { title: say('col.cpus'), cell: (row) => String(row.cpus ?? ''), wide: true, align: 'right' },
    {
      title: say('col.memory'),
      cell: (row) => (row.memoryBytes === null ? '' : bytesText(row.memoryBytes)),
      wide: true,
      align: 'right',
    },
    { title: say('col.run'), cell: ({ lastRun }) => lastRun?.id ?? '', wide: true },
  ];
}

function lastRunText(run: NodeRow['lastRun']): string {
  return run ? `${run.pipeline} ${timeText(run.startedAt)}` : '';
}

function liveColumns({ say }: Io): Column<Row>[] {
  const now = Date.now();
  return [
    {
      title: say('col.ready'),
      cell: ({ live }) => live?.ready ?? say('live.absent'),
      style: ({ live }) => truthStyle(live?.ready ?? 'Unknown'),
    },
    { title: say('col.version'), cell: ({ live }) => live?.version ?? '' },
    {
      title: say('col.age'),
      cell: ({ live }) => (live ? ageText(now - Date.parse(live.createdAt), say) : ''),
      align: 'right',
    },
    { title: say('col.schedulable'), cell: ({ live }) => String(live?.schedulable ?? ''), wide: true },
  ];
}
