import { hostname, userInfo } from 'node:os';
import { configFingerprint, diffConfigs } from '../config/index.ts';
import type { ExecuteResult, Limits } from '../engine/options.ts';
import type { KeyRing, ShownKey } from '../host/index.ts';
import { processStart } from '../local/process-identity.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { KubexmError, kubexmError } from '../model/errors/index.ts';
import type { EventError, EventSink } from '../model/event.ts';
import type { Facts } from '../model/facts.ts';
import type { LockOwner } from '../model/host.ts';
import { canonical, type Json } from '../model/json.ts';
import type { Redactor } from '../observe/index.ts';
import type { ExecutionGraph } from '../plan/graph.ts';
import type { Pipeline, PlanArtifacts } from '../plan/layers.ts';
import type { Question, StepUse } from '../plan/step.ts';
import { lockCluster } from '../state/cluster-lock.ts';
import { type OpenConfig, openConfig } from '../state/open-config.ts';
import { findResumable, newRunId, readInputs } from '../state/run-store.ts';
import { refuseFixedChanges } from '../state/standing-cluster.ts';
import { makeWorkDir, type WorkDir } from '../state/work-dir.ts';
import { unreachableError } from './absent.ts';
import { checksOf } from './checks.ts';
import { type Connected, connectHosts } from './connect.ts';
import { type Earlier, type Parts, PipelineRun } from './prepared-run.ts';
import { selectionOf } from './selection.ts';
import type { SshOverrides } from './targets.ts';

/** How a pipeline is run. */
export interface RunPipelineOptions {
  readonly configFile: string;
  /** Fields that hold instead of what the file says, as `path=value`. */
  readonly overrides?: readonly string[];
  /** Where `.kubexm` is. Default: the current directory. */
  readonly baseDir?: string;
  /** The hosts to connect to. Default: all. */
  readonly hosts?: (cluster: Cluster) => readonly string[];
  readonly ssh?: SshOverrides;
  /** Keys that were opened already, by a part of the same command that connected before. */
  readonly keys?: KeyRing;
  readonly dryRun?: boolean;
  /** Goes on with the newest run that did not succeed, or with the one named. */
  readonly resume?: boolean | string;
  readonly onFailure?: 'rollback' | 'keep';
  readonly tags?: readonly string[];
  readonly skipTags?: readonly string[];
  readonly assumeYes?: boolean;
  /** Consumers of events, which have no secrets any more. */
  readonly sinks?: readonly EventSink[];
  /** Asks the person; without it a question is an error. */
  readonly ask?: (question: Question) => Promise<string>;
  readonly drain?: AbortSignal;
  readonly stop?: AbortSignal;
  readonly limits?: Partial<Limits>;
  readonly env?: NodeJS.ProcessEnv;
  /** How long a host that vanished is waited for. Default 60. */
  readonly reconnectSeconds?: number;
  /** Told once, when all are connected, of the host keys that are trusted from now on, and where they are kept. */
  readonly onPinned?: (keys: readonly ShownKey[], file: string) => void;
  /** Told of the plan before anything is locked or changed; what it throws ends the run there. */
  readonly onPlanned?: (planned: PlannedRun) => void;
}

/** What is about to run, and what it was planned from. */
export interface PlannedRun {
  readonly graph: ExecutionGraph;
  readonly cluster: Cluster;
  readonly facts: Readonly<Record<string, Facts>>;
  readonly artifacts: PlanArtifacts | undefined;
  /** About how many seconds a step takes. Of steps that get artifacts it is known once the run has begun. */
  readonly weightOf: (use: StepUse) => number;
  /** A value without the secrets of the configuration. */
  readonly redact: (value: unknown) => unknown;
}

/** What a run came to. */
export interface RunReport extends ExecuteResult {
  readonly run: string;
  readonly pipeline: string;
  readonly cluster: string;
  readonly dryRun: boolean;
  /** Hosts that could not be used from the beginning. */
  readonly unreachable: readonly { readonly host: string; readonly error: EventError }[];
  readonly durationMs: number;
  readonly resumable: boolean;
  readonly logFile: string;
  readonly planHash: string;
  /** Nodes that changed, or would. */
  readonly changes: number;
}

/** Plans a pipeline and runs it: the one way in for the command line, the web page and programs. */
export async function runPipeline<P>(
  pipeline: Pipeline<P>,
  params: P,
  options: RunPipelineOptions,
): Promise<RunReport> {
  const env = options.env ?? process.env;
  const config = await openConfig(options.configFile, pipeline, { env, ask: options.ask }, options.overrides);
  try {
    return await runWith(config, pipeline, params, { ...options, env });
  } catch (error) {
    throw withoutSecrets(error, config.redactor);
  }
}

/** What a host said may be part of an error, and a secret part of that. */
function withoutSecrets(error: unknown, redactor: Redactor): unknown {
  if (!(error instanceof KubexmError)) return error;
  const { code, params, detail, host } = error;
  const more = { ...(detail === undefined ? {} : { detail }), ...(host === undefined ? {} : { host }) };
  const clean = redactor.value({ params, more });
  return clean.params === params && clean.more === more ? error : new KubexmError(code, clean.params, clean.more);
}

async function runWith<P>(
  config: OpenConfig,
  pipeline: Pipeline<P>,
  params: P,
  options: RunPipelineOptions & { readonly env: NodeJS.ProcessEnv },
): Promise<RunReport> {
  const { env } = options;
  const baseDir = options.baseDir ?? process.cwd();
  const workDir = makeWorkDir(baseDir, config.cluster.metadata.name);
  refuseFixedChanges(pipeline, config, workDir);
  const earlier = options.resume ? resumeFrom(workDir, pipeline, params, options, config) : undefined;
  const run = earlier?.dir.run ?? newRunId(new Date());
  const started = processStart(process.pid);
  const owner: LockOwner = {
    run,
    cluster: config.cluster.metadata.name,
    pipeline: pipeline.name,
    user: userInfo().username,
    machine: hostname(),
    pid: process.pid,
    ...(started === undefined ? {} : { started }),
    since: new Date().toISOString(),
  };
  const exclusive = pipeline.policy !== 'inspect' && options.dryRun !== true;
  const clusterLock = exclusive ? lockCluster(workDir.lock, owner) : undefined;
  try {
    const wanted = pipeline.local
      ? []
      : (options.hosts?.(config.cluster) ?? config.cluster.spec.hosts.map((host) => host.name));
    const connected = await connectHosts(config, wanted, workDir, {
      ...options,
      env,
      onConnected: (host, durationMs) => {
        const event = { type: 'host-connected', at: Date.now(), run, host, durationMs } as const;
        for (const sink of options.sinks ?? []) sink(event);
      },
    });
    try {
      const parts = { config, workDir, earlier, run, owner, exclusive, connected };
      return await runConnected(pipeline, params, options, parts, wanted.length);
    } finally {
      await connected.close();
    }
  } finally {
    clusterLock?.release();
  }
}

/** Runs it on the hosts that answer. If it needs the others too, its checks report all problems, and it is refused. */
async function runConnected<P>(
  pipeline: Pipeline<P>,
  params: P,
  options: RunPipelineOptions,
  parts: Parts,
  total: number,
): Promise<RunReport> {
  const { connected, earlier } = parts;
  const begin = () => new PipelineRun(pipeline, params, options, parts).run();
  const refusal = refusalOf(pipeline, connected, total, earlier !== undefined);
  if (refusal === undefined) return begin();
  const checks = checksOf(pipeline, params, connected, options);
  // Which hosts a part of a pipeline needs is known when it is planned.
  if (pipeline.scope && !checks) return begin();
  if (checks && connected.unreachable.size < total) {
    const answering = { ...connected, unreachable: new Map() };
    const found = await new PipelineRun(checks, params, options, {
      ...parts,
      exclusive: false,
      connected: answering,
    }).run();
    if (found.outcome === 'interrupted') return found;
  }
  throw refusal;
}

function resumeFrom<P>(
  workDir: WorkDir,
  pipeline: Pipeline<P>,
  params: P,
  options: RunPipelineOptions,
  config: OpenConfig,
): Earlier {
  const wanted = typeof options.resume === 'string' ? options.resume : undefined;
  const { dir, replay } = findResumable(workDir.runs, pipeline.name, wanted);
  const inputs = readInputs(dir);
  if (replay.header.configHash !== configFingerprint(config.cluster)) {
    const lines = diffConfigs(inputs.config as unknown as Cluster, config.cluster);
    const detail = lines.map((line) => `${line.path}: ${line.before ?? '–'} → ${line.after ?? '–'}`).join('\n');
    throw kubexmError('KX4007', { run: dir.run, detail: 'the configuration has changed since' }, { detail });
  }
  if (canonical(inputs.params) !== canonical(config.redactor.value(params ?? null) as Json)) {
    throw kubexmError('KX4007', { run: dir.run, detail: 'it was started with other parameters' });
  }
  if (canonical(inputs.selection) !== canonical(selectionOf(options))) {
    throw kubexmError('KX4007', { run: dir.run, detail: 'it was started with other tags' });
  }
  return { dir, inputs };
}

/** Why a run does not begin: hosts that do not answer, unless it can do without them. */
function refusalOf<P>(pipeline: Pipeline<P>, connected: Connected, total: number, resumed: boolean): Error | undefined {
  const failed = [...connected.unreachable];
  if (
    failed.length === 0 ||
    resumed ||
    ((pipeline.policy === 'inspect' || pipeline.everyHost) && failed.length < total)
  )
    return undefined;
  return unreachableError(failed, total);
}
