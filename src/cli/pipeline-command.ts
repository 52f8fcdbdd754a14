import { join } from 'node:path';
import {
  type EventError,
  type EventSink,
  type ExitCode,
  exitCodeOfReport,
  type Pipeline,
  type RunEvent,
  type RunReport,
  recordContext,
  runPipeline,
  workDirOf,
} from '../index.ts';
import { askPerson } from './ask.ts';
import { catchInterrupts } from './interrupts.ts';
import type { Io } from './io.ts';
import { pinnedLines } from './pinned-keys.ts';
import { wouldChanges } from './report/changes.ts';
import { reportRun } from './report/report.ts';
import { keepCommand } from './resume-command.ts';
import type { RunFlags } from './run-options.ts';
import { jsonView } from './view/json.ts';
import { liveView } from './view/live.ts';
import { plainView } from './view/plain.ts';
import type { Interruption, RunView } from './view/run-view.ts';

/** Runs a pipeline as the flags say, shows it while it runs, and tells at the end what came of it. */
export async function executePipeline<P>(
  pipeline: Pipeline<P>,
  params: P,
  flags: RunFlags,
  io: Io,
  sinks: readonly EventSink[] = [],
): Promise<ExitCode> {
  const changes = wouldChanges();
  const lost = new Map<string, EventError>();
  const hearLost: EventSink = (event) => void (event.type === 'host-lost' && lost.set(event.host, event.error));
  const keep = keepCommand(flags.argv, (cluster, run) => join(workDirOf(flags.baseDir, cluster).runs, run));
  const view = chooseView(pipeline.name, flags, io);
  const report = await runShown(pipeline, params, flags, io, view, [changes.sink, hearLost, keep, ...sinks]);
  if (flags.view !== 'json' && report.dryRun) io.print(changes.lines(io));
  if (flags.view !== 'json') io.note(await reportRun(report, { argv: flags.argv, lost }, io));
  const code = exitCodeOfReport(report);
  return code === 0 && flags.detailedExitcode && report.changes > 0 ? 2 : code;
}

/** Runs a pipeline with a view of the caller's; Ctrl-C, questions and flags are taken care of. */
export async function runShown<P>(
  pipeline: Pipeline<P>,
  params: P,
  flags: RunFlags,
  io: Io,
  view: RunView,
  sinks: readonly EventSink[] = [],
): Promise<RunReport> {
  const resumes = pipeline.policy !== 'inspect' && !flags.dryRun;
  const tell = (how: Interruption) => view.interrupted(how === 'stopping' && !resumes ? 'stoppingForGood' : how);
  const interrupts = catchInterrupts(process, tell, () => {
    view.close();
    io.note(io.say('killed'));
    process.exit(130);
  });
  try {
    const report = await runPipeline(pipeline, params, {
      configFile: flags.configFile,
      baseDir: flags.baseDir,
      overrides: flags.overrides ?? [],
      ...flags.planning,
      ...(flags.hosts ? { hosts: flags.hosts } : {}),
      ssh: flags.ssh,
      ...(flags.keys ? { keys: flags.keys } : {}),
      dryRun: flags.dryRun,
      resume: flags.resume,
      onFailure: flags.onFailure,
      tags: flags.tags,
      skipTags: flags.skipTags,
      assumeYes: io.assumeYes,
      sinks: [view.sink, ...sinks],
      onPinned: (keys, file) => void view.aside(async () => io.note(pinnedLines(keys, file, io))),
      ask: (question) => view.aside(() => askPerson(question, io, interrupts.stop)),
      drain: interrupts.drain,
      stop: interrupts.stop,
      env: io.env,
    });
    if (!flags.dryRun && flags.lab === undefined) remember(report.cluster, flags, io);
    return report;
  } finally {
    interrupts.release();
    view.close();
  }
}

/** A cluster that was worked on is known from then on. That it cannot be noted is no reason to fail. */
function remember(name: string, { configFile, baseDir }: RunFlags, io: Io): void {
  try {
    recordContext(io.env, { name, configFile, baseDir });
  } catch (error) {
    io.note(io.say('contexts.unwritten', { reason: error instanceof Error ? error.message : String(error) }));
  }
}

/** The view that the flags and the terminal ask for. */
export function chooseView(pipeline: string, { view, dryRun }: Pick<RunFlags, 'view' | 'dryRun'>, io: Io): RunView {
  const { stderr, lang, unicode } = io;
  if (view === 'json')
    return jsonView(
      (text) => void io.stdout.write(text),
      (how) => io.note(io.say(how)),
      { debug: io.debug },
    );
  const isTerminal = stderr.isTTY === true && io.env['TERM'] !== 'dumb';
  if (view === 'plain' || (view === 'auto' && (!isTerminal || io.debug))) {
    // What a dry run finds is its result: it goes to stdout at the end, in order.
    const leaveOut = (event: RunEvent) =>
      dryRun && event.type === 'node-finished' && event.outcome.startsWith('would-');
    return plainView({ write: (text) => void stderr.write(text), pipeline, lang, verbose: io.debug, leaveOut });
  }
  const screen = {
    write: (text: string) => void stderr.write(text),
    get columns() {
      return stderr.columns ?? 80;
    },
    get rows() {
      return stderr.rows ?? 24;
    },
  };
  return liveView({ screen, pipeline, color: io.colorNote, unicode, lang });
}
