import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import {
  type EventSink,
  type ExitCode,
  exitCodeOfReport,
  listArtifacts,
  openCluster,
  runCommand,
  runPipeline,
  workDirOf,
} from '../../index.ts';
import { printableLines } from '../../model/text/printable.ts';
import type { Io } from '../io.ts';
import { fieldLines } from '../output/table.ts';
import { shellWord } from '../resume-command.ts';
import { type Place, QUICKSTART } from './place.ts';

const GET_NODES = 'kubectl --kubeconfig /etc/kubernetes/admin.conf get nodes';

/** Prints what the cluster itself says about its nodes, asked on the first master. */
export async function printNodes(io: Io, { configFile, baseDir }: Place): Promise<ExitCode> {
  const { cluster } = await openCluster(configFile);
  const nodes = cluster.spec.roleGroups.master.slice(0, 1);
  const hear: EventSink = (event) => {
    if (event.type !== 'node-output') return;
    io.note('');
    io.print(printableLines(event.stdout));
    io.note(printableLines(event.stderr));
  };
  const report = await runPipeline(
    runCommand,
    { command: GET_NODES, nodes, timeoutSeconds: 30 },
    { configFile, baseDir, hosts: () => nodes, env: io.env, sinks: [hear] },
  );
  return exitCodeOfReport(report);
}

/** Where things are, and what to type next. */
export async function nextLines(io: Io, place: Place): Promise<readonly string[]> {
  const { say } = io;
  const { configFile, baseDir } = place;
  const { kubeconfig } = workDirOf(baseDir, QUICKSTART);
  const rows = await listArtifacts({ configFile, baseDir, env: io.env });
  const kubectl = rows.find(({ kind, name }) => kind === 'program' && name === 'kubectl')?.path ?? 'kubectl';
  const word = (path: string) => shellWord(shortest(io.cwd, path));
  const facts = [
    [say('quickstart.kubeconfig'), kubeconfig],
    [say('quickstart.server'), serverIn(kubeconfig)],
    [say('quickstart.config'), configFile],
  ] as const;
  return [
    ...fieldLines(facts, io.paintNote, '  '),
    '',
    say('quickstart.next'),
    `  export KUBECONFIG=${shellWord(kubeconfig)}`,
    `  ${word(kubectl)} get pods -A`,
    `  kubexm lab ssh ${QUICKSTART}-1`,
    `  kubexm check cluster -f ${word(configFile)}`,
    '  kubexm quickstart --delete',
  ];
}

/** Below the current directory a path is shorter from there; a program without a directory would be looked for elsewhere. */
function shortest(cwd: string, path: string): string {
  const near = relative(cwd, path);
  return near.startsWith('..') || !near.includes('/') ? path : near;
}

function serverIn(kubeconfig: string): string {
  const text = existsSync(kubeconfig) ? readFileSync(kubeconfig, 'utf8') : '';
  return /^\s*server:\s*(\S+)$/m.exec(text)?.[1] ?? '';
}
