import type { EventError, ExitCode, HostManifestReport } from '../index.ts';
import { KubexmError, readManifests } from '../index.ts';
import { confirmByName } from './ask.ts';
import { connecting } from './connecting.ts';
import { failureLines, noteStyle } from './failures.ts';
import type { Io } from './io.ts';
import { tableLines } from './output/table.ts';
import type { RunFlags } from './run-options.ts';

/** Shows what would be undone on which hosts, and has the cluster's name typed. An exit code if it cannot go on. */
export async function confirmReset(
  cluster: string,
  nodes: readonly string[],
  { configFile, baseDir, overrides = [], ssh, keys }: RunFlags,
  io: Io,
): Promise<ExitCode | undefined> {
  const reports = await readManifests({
    configFile,
    baseDir,
    overrides,
    ssh,
    nodes,
    ...connecting(io),
    ...(keys && { keys }),
  });
  const failures = reports.flatMap(({ host, error }) => (error ? [{ host, error: eventError(error) }] : []));
  if (failures.length > 0) {
    io.note(await failureLines(failures, noteStyle(io)));
    return 5;
  }
  const changed = reports.filter(({ manifest }) => manifest !== undefined);
  if (changed.length === 0) {
    io.note(io.say('reset.nothing'));
    return undefined;
  }
  io.note(tableLines(columns(io), changed, io.paintNote), '', io.paintNote('yellow', io.say('reset.warning')));
  await confirmByName(cluster, io);
  return undefined;
}

function columns({ say }: Io) {
  const entries = ({ manifest }: HostManifestReport) => manifest?.entries ?? [];
  return [
    { title: say('col.host'), cell: (row: HostManifestReport) => row.host },
    {
      title: say('col.changes'),
      cell: (row: HostManifestReport) => String(entries(row).length),
      align: 'right' as const,
    },
    { title: say('col.since'), cell: (row: HostManifestReport) => entries(row)[0]?.at ?? '' },
    { title: say('col.cluster'), cell: (row: HostManifestReport) => row.manifest?.cluster ?? '' },
  ];
}

function eventError(error: Error): EventError {
  if (!(error instanceof KubexmError)) throw error;
  return { code: error.code, params: error.params, ...(error.detail === undefined ? {} : { detail: error.detail }) };
}
