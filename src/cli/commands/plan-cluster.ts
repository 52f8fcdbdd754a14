import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { EventSink, ExitCode, PlannedRun, RunEvent, RunReport } from '../../index.ts';
import { cliError } from '../cli-error.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import type { Io } from '../io.ts';
import { durationText } from '../output/duration.ts';
import { printValue } from '../output/print-data.ts';
import { tableLines } from '../output/table.ts';
import { wouldChanges } from '../report/changes.ts';
import { shellWord } from '../resume-command.ts';
import { type RunFlags, runFlags, sshOptions } from '../run-options.ts';
import { configOptions } from '../shared-options.ts';
import { writeNew } from '../write-new.ts';

type PlanFormat = 'text' | 'json' | 'dot' | 'mermaid';

/** `kubexm plan cluster` */
export const planClusterCommand: CommandSpec = {
  path: 'plan cluster',
  summary: 'cmd.plan-cluster',
  details: 'cmd.plan-cluster.details',
  examples: [
    { line: 'kubexm plan cluster -f config.yaml', text: 'ex.plan-cluster' },
    { line: 'kubexm plan cluster -f config.yaml --out plan.json', text: 'ex.plan-cluster-out' },
    { line: 'kubexm plan cluster -f config.yaml -o dot > plan.dot', text: 'ex.plan-cluster-dot' },
  ],
  options: [
    ...configOptions,
    { flags: '--skip-preflight', text: 'opt.skip-preflight' },
    { flags: '--out <file>', text: 'opt.plan-out', kind: 'file' },
    { flags: '--force', text: 'opt.force' },
    ...sshOptions,
    { flags: '--detailed-exitcode', text: 'opt.detailed-exitcode' },
    {
      flags: '-o, --output <format>',
      text: 'opt.plan-output',
      choices: ['text', 'json', 'dot', 'mermaid'],
      default: 'text',
    },
  ],
  action: plan,
};

async function plan(call: Call): Promise<ExitCode> {
  const { io, options } = call;
  const out = outFile(call);
  const flags = { ...(await runFlags(call)), dryRun: true, view: 'auto' as const };
  const params = { skipPreflight: options.flag('skipPreflight') };
  const { createCluster, exitCodeOfReport, savedPlanOf } = await import('../../index.ts');
  const { chooseView, runShown } = await import('../pipeline-command.ts');
  const kept: { planned?: PlannedRun } = {};
  const planning: RunFlags['planning'] = {
    onPlanned: (planned) => {
      kept.planned = planned;
    },
  };
  const changes = wouldChanges();
  const found = findings();
  const view = chooseView(createCluster.name, flags, io);
  const report = await runShown(createCluster, params, { ...flags, planning }, io, view, [changes.sink, found.sink]);
  const { planned } = kept;
  if (planned === undefined) throw new TypeError('the run has ended without a plan');
  await print(planned, report, options.text('output') as PlanFormat, { changes, found }, io);
  if (report.outcome !== 'succeeded') {
    const { reportRun } = await import('../report/report.ts');
    io.note(await reportRun(report, { argv: call.argv, lost: new Map() }, io));
  }
  if (out !== undefined && !isComplete(report)) io.note(io.paintNote('yellow', io.say('plan.incomplete')));
  else if (out !== undefined) {
    const { configFile, baseDir, overrides = [] } = flags;
    const saved = savedPlanOf({ pipeline: createCluster.name, params, configFile, baseDir, overrides }, planned);
    writeNew(out.path, out.shown, `${JSON.stringify(saved)}\n`, options.flag('force'), 0o600);
    io.note(io.say('plan.saved', { file: out.shown }), `  kubexm apply ${shellWord(out.shown)}`);
  }
  const code = exitCodeOfReport(report);
  return code === 0 && flags.detailedExitcode && report.changes > 0 ? 2 : code;
}

/** Every step was looked at. Errors of the checks do not change the plan: they are fixed before it is applied. */
function isComplete({ outcome, counts: { failed, skipped, unknown } }: RunReport): boolean {
  return outcome === 'succeeded' || (outcome === 'failed' && !failed && !skipped && !unknown);
}

/** Where the plan is to be kept. That it cannot be is better known before all hosts were asked. */
function outFile({ io, options }: Call): { readonly path: string; readonly shown: string } | undefined {
  const shown = options.text('out');
  if (shown === undefined) return undefined;
  const path = resolve(io.cwd, shown);
  if (existsSync(path) && !options.flag('force')) throw cliError('KX1030', { file: shown });
  return { path, shown };
}

type Finished = Extract<RunEvent, { type: 'node-finished' }>;

/** What was found out about each step, as data. */
function findings() {
  const found: Pick<Finished, 'node' | 'host' | 'title' | 'outcome' | 'diff'>[] = [];
  const sink: EventSink = (event) => {
    if (event.type !== 'node-finished') return;
    const { node, host, title, outcome, diff } = event;
    found.push({ node, host, title, outcome, ...(diff ? { diff } : {}) });
  };
  return { sink, found };
}

async function print(
  { graph, redact, weightOf }: PlannedRun,
  { outcome, counts }: RunReport,
  format: PlanFormat,
  {
    changes,
    found,
  }: { readonly changes: ReturnType<typeof wouldChanges>; readonly found: ReturnType<typeof findings> },
  io: Io,
): Promise<void> {
  const { renderDot, renderJson, renderMermaid } = await import('../../index.ts');
  if (format === 'dot') io.stdout.write(renderDot(graph));
  else if (format === 'mermaid') io.stdout.write(renderMermaid(graph));
  else if (format === 'json')
    printValue(io, 'json', { outcome, counts, steps: found.found, plan: redact(renderJson(graph)) });
  else io.print(changes.lines(io), '', await pathLines(graph, weightOf, io));
}

interface Stretch {
  readonly task: string;
  readonly host: string;
  readonly seconds: number;
}

/** The longest path, task by task. */
async function pathLines(
  plan: PlannedRun['graph'],
  weightOf: PlannedRun['weightOf'],
  { say, paint }: Io,
): Promise<string[]> {
  const { criticalPath, weighed } = await import('../../index.ts');
  const graph = weighed(plan, weightOf);
  const { nodes, seconds } = criticalPath(graph);
  const stretches: Stretch[] = [];
  for (const i of nodes) {
    const [task, host] = [graph.node(i).task?.id ?? graph.node(i).id, graph.host(i)];
    const more = graph.use(i)?.weight ?? 0;
    const last = stretches.at(-1);
    const goesOn = last?.task === task && last.host === host;
    if (goesOn) stretches.pop();
    stretches.push({ task, host, seconds: more + (goesOn ? last.seconds : 0) });
  }
  const title = paint('cyan', say('plan.path', { time: durationText(seconds * 1000, say) }));
  const rows = stretches.filter((one) => one.seconds > 0);
  if (rows.length === 0) return [title];
  const columns = [
    {
      title: say('col.estimate'),
      cell: (one: Stretch) => durationText(one.seconds * 1000, say),
      align: 'right' as const,
    },
    { title: say('col.task'), cell: (one: Stretch) => one.task },
    { title: say('col.host'), cell: (one: Stretch) => one.host },
  ];
  return [title, ...tableLines(columns, rows, paint).map((line) => `  ${line}`)];
}
