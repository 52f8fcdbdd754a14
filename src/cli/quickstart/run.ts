import {
  type ArtifactForecast,
  checkCluster,
  createCluster,
  downloadArtifacts,
  type ExitCode,
  guessText,
  KubexmError,
  type Pipeline,
  plannedBuilds,
  prepareBox,
  prerequisiteError,
} from '../../index.ts';
import type { Io } from '../io.ts';
import { withLab } from '../lab/with-lab.ts';
import { durationText, elapsedText } from '../output/duration.ts';
import { fieldLines } from '../output/table.ts';
import { executePipeline } from '../pipeline-command.ts';
import type { RunFlags } from '../run-options.ts';
import { type Estimate, estimateOf, forecastOf, PHASES, type Phase } from './estimate.ts';
import { nextLines, printNodes } from './finish.ts';
import { ensureLab, findLab, nodesOf } from './lab.ts';
import { findPlace, type Place, QUICKSTART, rememberPlace, writeConfig } from './place.ts';
import { versionFor } from './version.ts';

/** What a person may choose. */
export interface Choice {
  readonly nodes: number | undefined;
  readonly version: string | undefined;
}

const TEXTS = {
  lab: 'quickstart.lab',
  artifacts: 'quickstart.artifacts',
  cluster: 'quickstart.cluster',
  check: 'quickstart.check',
} as const satisfies Record<Phase, string>;

/** From nothing to a cluster that works. Every phase looks first at what is there, so that it can be run again at any time. */
export async function runQuickstart(io: Io, choice: Choice): Promise<ExitCode> {
  const began = performance.now();
  const place = findPlace(io);
  const there = await findLab(io);
  const nodes = nodesOf(there, choice.nodes);
  const version = await versionFor(place, choice.version);
  const wanted = { nodes, version };
  const forecast = await forecastOf(io, place, wanted);
  const estimate = estimateOf(io, place, there, wanted, forecast);
  io.note(overview(io, wanted, estimate, forecast));
  announce(io, 'lab', estimate);
  await prepare(io, forecast, () => forecastOf(io, place, wanted));
  const lab = await ensureLab(io, there, nodes);
  writeConfig(place, lab, version);
  rememberPlace(io, place);
  const code = (await runPhases(io, place, estimate)) || (await printNodes(io, place));
  if (code !== 0) io.note('', io.say('quickstart.again'));
  else {
    const time = durationText(performance.now() - began, io.say);
    io.note('', io.paintNote('boldGreen', io.say('quickstart.ready', { time })), await nextLines(io, place));
  }
  return code;
}

/** Installs everything that the lab and the builds need on this machine, before the first of them begins. */
async function prepare(io: Io, forecast: ArtifactForecast, again: () => Promise<ArtifactForecast>): Promise<void> {
  const refusal = prerequisiteError(forecast);
  if (refusal !== undefined && refusal.code !== 'KX7042') throw refusal;
  const needs = forecast.missing.map(({ need }) => need);
  await withLab(io, QUICKSTART, (options) => prepareBox(needs, options));
  const still = needs.length === 0 ? undefined : prerequisiteError(await again());
  if (still !== undefined) throw still;
}

async function runPhases(io: Io, place: Place, estimate: Estimate): Promise<ExitCode> {
  announce(io, 'artifacts', estimate);
  // What the check needs comes with the rest: some of it is built too.
  const all = { ...downloadArtifacts, usesArtifacts: checkCluster.usesArtifacts ?? true };
  const got = await run(io, place, all, undefined, 'never');
  if (got !== 0) return got;
  announce(io, 'cluster', estimate);
  const created = await run(io, place, createCluster, { skipPreflight: false }, 'if-it-can');
  if (created !== 0) return created;
  announce(io, 'check', estimate);
  return run(io, place, checkCluster, undefined, 'never');
}

/** Runs a pipeline without questions. One that was killed or failed is gone on with, where that is possible. */
async function run<P>(
  io: Io,
  { configFile, baseDir }: Place,
  pipeline: Pipeline<P>,
  params: P,
  resume: 'never' | 'if-it-can',
): Promise<ExitCode> {
  const flags: RunFlags = {
    configFile,
    baseDir,
    dryRun: false,
    resume: false,
    onFailure: 'rollback',
    tags: [],
    skipTags: [],
    ssh: {},
    detailedExitcode: false,
    view: 'auto',
    argv: [...pipeline.name.split(' '), '-f', configFile],
  };
  const yes = { ...io, assumeYes: true };
  if (resume === 'never') return executePipeline(pipeline, params, flags, yes);
  try {
    return await executePipeline(pipeline, params, { ...flags, resume: true }, yes);
  } catch (error) {
    if (!(error instanceof KubexmError) || !NOT_RESUMED.includes(error.code)) throw error;
    return executePipeline(pipeline, params, flags, yes);
  }
}

/** There is nothing to go on with, or it was planned from something else: a new run looks at everything anyway. */
const NOT_RESUMED = ['KX4006', 'KX4007', 'KX4012'];

function overview(
  io: Io,
  { nodes, version }: { readonly nodes: number; readonly version: string },
  estimate: Estimate,
  forecast: ArtifactForecast,
): readonly string[] {
  const { say } = io;
  const about = (seconds: number) => elapsedText(seconds * 1000, say);
  const total = PHASES.reduce((sum, phase) => sum + estimate[phase], 0);
  const rows = PHASES.map(
    (phase) => [say(TEXTS[phase]), say('quickstart.about', { time: about(estimate[phase]) })] as const,
  );
  const title = say('quickstart.plan', { version, nodes, time: about(total) });
  return [io.paintNote('bold', title), ...fieldLines(rows, io.paintNote, '  '), ...buildLines(io, forecast)];
}

function announce(io: Io, phase: Phase, estimate: Estimate): void {
  const { say } = io;
  const what = say(TEXTS[phase]);
  const title = say('quickstart.phase', { n: PHASES.indexOf(phase) + 1, of: PHASES.length, what });
  const about = say('quickstart.about', { time: elapsedText(estimate[phase] * 1000, say) });
  io.note('', `${io.paintNote('bold', title)} ${io.paintNote('dim', about)}`);
}

/** What is built, where something is: that takes most of the time, once. */
function buildLines(io: Io, forecast: ArtifactForecast): readonly string[] {
  const builds = plannedBuilds(forecast);
  if (builds === undefined) return [];
  const { programs, seconds, cores } = builds;
  return ['', io.say('quickstart.builds', { programs, time: guessText(seconds, io.lang), cores })];
}
