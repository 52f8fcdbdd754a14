import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Replay, readJournal } from '../engine/journal.ts';
import { replaceFileSync, syncDirectorySync } from '../local/files.ts';
import { kubexmError } from '../model/errors/index.ts';
import type { Facts } from '../model/facts.ts';
import type { Json } from '../model/json.ts';
import type { HostManifest } from '../model/manifest.ts';
import type { PlanArtifacts } from '../plan/layers.ts';
import { successorOf } from './old-runs.ts';

/** The files of one run. */
export interface RunDir {
  readonly run: string;
  readonly path: string;
  readonly journal: string;
  readonly log: string;
}

/** What a run was planned from, kept so that a resumed run is planned from the same. */
export interface RunInputs {
  readonly facts: Readonly<Record<string, Facts>>;
  /** What the hosts' manifests said, where the plan depends on it. */
  readonly manifests: Readonly<Record<string, HostManifest>>;
  /** What the cluster was to be installed from, where the plan depends on it. */
  readonly artifacts: PlanArtifacts | null;
  /** The configuration without its secrets. */
  readonly config: Json;
  readonly plan: Json;
  readonly params: Json;
  /** Which part of it was asked for. */
  readonly selection: Json;
}

/** The same when a run begins, with what only people read: the fields that held instead of the file's. */
type NewRunInputs = Readonly<Record<keyof RunInputs, unknown>> & { readonly overrides: readonly string[] };

/** What hosts and the catalog say has no secrets: a password that happens to be `ubuntu` must not change what is planned. */
const VERBATIM = new Set<string>(['facts', 'manifests', 'artifacts']);

/** A name for a run: sorts by time, to the millisecond, and is unique. */
export function newRunId(now: Date): string {
  const [seconds = '', ms = ''] = now.toISOString().replaceAll(/[-:Z]/g, '').replace('T', '-').split('.');
  return `${seconds}-${ms}${randomBytes(3).toString('hex')}`;
}

/** The directory of a run below a cluster's `runs`. */
function runDir(runs: string, run: string): RunDir {
  const path = join(runs, run);
  return { run, path, journal: join(path, 'journal.jsonl'), log: join(path, 'log.jsonl') };
}

/** Makes a run's directory and keeps what it is planned from: on disk when this returns, so before a journal says that the run began. */
export function createRun(
  runs: string,
  run: string,
  inputs: NewRunInputs,
  redact: (value: unknown) => unknown,
): RunDir {
  const dir = runDir(runs, run);
  mkdirSync(dir.path, { recursive: true, mode: 0o700 });
  for (const [name, value] of Object.entries(inputs)) {
    const kept = VERBATIM.has(name) ? value : redact(JSON.parse(JSON.stringify(value)));
    replaceFileSync(join(dir.path, `${name}.json`), `${JSON.stringify(kept)}\n`);
  }
  for (const path of [dir.path, runs]) syncDirectorySync(path);
  return dir;
}

/** Reads back what a run was planned from. */
export function readInputs(dir: RunDir): RunInputs {
  const read = (name: string): unknown => {
    const file = join(dir.path, `${name}.json`);
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch (error) {
      throw kubexmError('KX4012', { file, detail: 'it cannot be read' }, { cause: error });
    }
  };
  return {
    facts: read('facts') as RunInputs['facts'],
    manifests: read('manifests') as RunInputs['manifests'],
    artifacts: read('artifacts') as RunInputs['artifacts'],
    config: read('config') as Json,
    plan: read('plan') as Json,
    params: read('params') as Json,
    selection: read('selection') as Json,
  };
}

/** The newest run of a pipeline that did not succeed, or the one asked for. */
export function findResumable(
  runs: string,
  pipeline: string,
  wanted: string | undefined,
): { dir: RunDir; replay: Replay } {
  const names = existsSync(runs) ? readdirSync(runs).sort().reverse() : [];
  if (wanted !== undefined && !names.includes(wanted)) {
    throw kubexmError('KX4006', { detail: `there is no run ${wanted}` });
  }
  for (const name of wanted === undefined ? names : [wanted]) {
    const dir = runDir(runs, name);
    // Without a journal nothing was begun.
    if (!existsSync(dir.journal)) continue;
    const { replay } = readJournal(dir.journal);
    if (replay.header.pipeline !== pipeline) {
      if (wanted === undefined) continue;
      throw kubexmError('KX4006', { detail: `run ${wanted} was «${replay.header.pipeline}», not «${pipeline}»` });
    }
    if (replay.ended === 'succeeded')
      throw kubexmError('KX4006', { detail: `run ${name} of «${pipeline}» has succeeded` });
    const later = successorOf(runs, name);
    if (later !== undefined)
      throw kubexmError('KX4006', { detail: `run ${later} has done the same as ${name} since, and succeeded` });
    return { dir, replay };
  }
  throw kubexmError('KX4006', { detail: `«${pipeline}» has not run here yet` });
}
