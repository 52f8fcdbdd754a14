import type { ExitCode } from '../../index.ts';
import { chooseCluster } from '../choose-cluster.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { bytesText } from '../output/duration.ts';
import { printRows } from '../output/print-data.ts';
import { allFormats, configOptions, type Format, outputOption } from '../shared-options.ts';

/** `kubexm verify artifacts` */
export const verifyArtifactsCommand: CommandSpec = {
  path: 'verify artifacts',
  summary: 'cmd.verify-artifacts',
  details: 'cmd.verify-artifacts.details',
  examples: [{ line: 'kubexm verify artifacts -f config.yaml', text: 'ex.verify-artifacts' }],
  options: [...configOptions, outputOption(allFormats, 'table')],
  action: verify,
};

async function verify(call: Call): Promise<ExitCode> {
  const { io, options } = call;
  const { say } = io;
  const place = await chooseCluster(call);
  const { kubexmError, listArtifacts, verifyArtifacts } = await import('../../index.ts');
  const rows = await listArtifacts({ ...place, env: io.env });
  const format = options.text('output') as Format;
  const data = format === 'json' || format === 'yaml';
  if (!data && !rows.some(({ agreed }) => agreed)) {
    io.note(say('artifacts.none'));
    return 0;
  }
  const results = await verifyArtifacts(rows, progressNote(call));
  const bad = results.filter(({ found }) => found !== 'good');
  if (data) printRows(io, format, results, { columns: [], name: ({ row }) => row.id, value: asValue });
  else if (bad.length === 0) {
    const size = bytesText(results.reduce((sum, { row }) => sum + (row.size ?? 0), 0));
    io.note(say('artifacts.good', { count: results.length, size }));
  } else {
    printRows(io, format, bad, {
      columns: [
        { title: say('col.name'), cell: ({ row }) => row.id },
        {
          title: say('col.state'),
          cell: ({ found }) => say(found === 'missing' ? 'artifact.missing' : 'artifact.damaged'),
        },
        { title: say('col.path'), cell: ({ row }) => row.path },
      ],
      name: ({ row }) => row.id,
      value: asValue,
    });
  }
  if (bad.length > 0) throw kubexmError('KX7022', { count: bad.length });
  return 0;
}

function asValue({
  row,
  found,
}: {
  readonly row: { readonly id: string; readonly path: string };
  readonly found: string;
}) {
  return { id: row.id, path: row.path, found };
}

/** One line now and then, on a terminal only. */
function progressNote({ io }: Call): (done: number, total: number) => void {
  if (io.stderr.isTTY !== true) return () => undefined;
  let shown = Date.now();
  return (done, total) => {
    if (Date.now() - shown < 1000) return;
    shown = Date.now();
    io.note(io.say('artifacts.checking', { done: bytesText(done), total: bytesText(total) }));
  };
}
