import type { ClusterDescription, Condition, ConfigChange, NodeRow } from '../../index.ts';
import { chooseCluster } from '../choose-cluster.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { isResumable, statusOf } from '../history.ts';
import type { Io } from '../io.ts';
import { askLive } from '../live.ts';
import { ageText } from '../output/age.ts';
import { timeText } from '../output/duration.ts';
import { printValue } from '../output/print-data.ts';
import { clusterStyle, nodeStyle, truthStyle } from '../output/states.ts';
import { fieldLines, tableLines } from '../output/table.ts';
import { resumeOfRun } from '../resume-command.ts';
import { sshOptions } from '../run-options.ts';
import { allFormats, configOptions, type Format, outputOption } from '../shared-options.ts';

/** `kubexm describe cluster` */
export const describeClusterCommand: CommandSpec = {
  path: 'describe cluster',
  summary: 'cmd.describe-cluster',
  details: 'cmd.describe-cluster.details',
  examples: [
    { line: 'kubexm describe cluster', text: 'ex.describe-cluster' },
    { line: 'kubexm describe cluster prod --live', text: 'ex.describe-cluster-live' },
  ],
  arguments: [{ name: '[cluster]', text: 'arg.cluster', kind: 'cluster' }],
  options: [...configOptions, { flags: '--live', text: 'opt.live' }, ...sshOptions, outputOption(allFormats, 'table')],
  action: async (call) => {
    const { io, options } = call;
    const place = await chooseCluster(call, call.args[0]);
    const { describeCluster } = await import('../../index.ts');
    const description = await describeCluster(place, options.flag('live') ? await askLive(place, call) : undefined);
    const resume = await resumeOf(description, call);
    const format = options.text('output') as Format;
    if (format === 'name') io.print(description.name);
    else if (format === 'json' || format === 'yaml') printValue(io, format, { ...description, resume });
    else io.print(describe(description, resume, format === 'wide', io));
    return 0;
  },
};

/** The command that goes on with the last operation, where that is possible. */
async function resumeOf({ lastOperation, name, baseDir }: ClusterDescription, { io }: Call): Promise<string | null> {
  if (!lastOperation || !isResumable(lastOperation)) return null;
  const { workDirOf } = await import('../../index.ts');
  return resumeOfRun(lastOperation, `${workDirOf(baseDir, name).runs}/${lastOperation.id}`, io);
}

function describe(one: ClusterDescription, resume: string | null, wide: boolean, io: Io): string[] {
  const { say, paint } = io;
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', paint('cyan', title), ...lines.map((line) => `  ${line}`)];
  const has = (role: string) => (node: NodeRow) => node.roles.includes(role);
  const masters = one.nodes.filter(has('master'));
  const workers = one.nodes.filter((node) => has('worker')(node) && !has('master')(node));
  const others = one.nodes.filter((node) => !has('master')(node) && !has('worker')(node));
  return [
    ...fieldLines(
      [
        [say('col.name'), one.name],
        [say('col.status'), paint(clusterStyle(one.status), say(`cluster.${one.status}`))],
        ...(one.since === null ? [] : [[say('col.age'), ageText(Date.now() - one.since, say)] as const]),
        [say('col.version-kubernetes'), one.kubernetesVersion],
        [say('describe.runtime'), one.containerRuntime],
        [say('describe.network'), one.network],
        [say('describe.artifacts'), say('describe.pinned', { n: one.artifacts.pinned })],
        [say('describe.kubeconfig'), one.kubeconfig ?? '–'],
        [say('col.file'), one.configFile],
        ...(wide ? [[say('col.directory'), one.baseDir] as const] : []),
      ],
      paint,
    ),
    ...section(say('describe.control-plane'), nodeLines(masters, io)),
    ...section(say('describe.workers'), nodeLines(workers, io)),
    ...section(say('describe.others'), nodeLines(others, io)),
    ...section(say('describe.last-operation'), lastOperationLines(one, resume, io)),
    ...section(say('describe.applied'), appliedLines(one, io)),
    ...section(say('describe.conditions'), conditionLines(one.conditions, io)),
  ];
}

function nodeLines(nodes: readonly NodeRow[], { say, paint }: Io): string[] {
  if (nodes.length === 0) return [];
  return tableLines<NodeRow>(
    [
      { title: say('col.name'), cell: (node) => node.name },
      { title: say('col.address'), cell: (node) => node.address },
      { title: say('col.roles'), cell: (node) => node.roles.join(',') },
      { title: say('col.state'), cell: (node) => say(`node.${node.state}`), style: (node) => nodeStyle(node.state) },
      { title: say('col.os'), cell: (node) => node.os ?? '' },
    ],
    nodes,
    paint,
  );
}

function lastOperationLines({ lastOperation }: ClusterDescription, resume: string | null, io: Io): string[] {
  if (!lastOperation) return [];
  const { say, paint } = io;
  const status = statusOf(lastOperation);
  return fieldLines(
    [
      [say('col.pipeline'), lastOperation.pipeline],
      [say('col.status'), paint(status.style, say(status.key))],
      [say('col.started'), timeText(lastOperation.startedAt)],
      [say('col.run'), lastOperation.id],
      ...(resume === null ? [] : [[say('describe.resume'), resume] as const]),
    ],
    paint,
  );
}

function appliedLines({ applied }: ClusterDescription, { say, paint }: Io): string[] {
  if (!applied) return [say('describe.never')];
  const time = timeText(applied.at);
  if (applied.differences.length === 0) return [say('describe.same', { time })];
  const columns = [
    { title: say('col.field'), cell: (change: ConfigChange) => change.path },
    { title: say('col.applied'), cell: (change: ConfigChange) => change.before ?? '' },
    { title: say('col.file-now'), cell: (change: ConfigChange) => change.after ?? '' },
  ];
  return [paint('yellow', say('describe.differs', { time })), ...tableLines(columns, applied.differences, paint)];
}

function conditionLines(conditions: readonly Condition[], { say, paint }: Io): string[] {
  if (conditions.length === 0) return [];
  return tableLines<Condition>(
    [
      { title: say('col.type'), cell: (one) => one.type },
      { title: say('col.status'), cell: (one) => one.status, style: (one) => truthStyle(one.status) },
      { title: say('col.time'), cell: (one) => (one.at === null ? '' : timeText(one.at)) },
      { title: say('col.source'), cell: (one) => one.source },
    ],
    conditions,
    paint,
  );
}
