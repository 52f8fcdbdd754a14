import { asEventError } from '../engine/errors.ts';
import type { ExecuteResult, JournalWriter, Limits, NewEvent, Selection } from '../engine/options.ts';
import { lockMachines, releaseMachines, runGraph } from '../engine/run-graph.ts';
import { extentOf, hostsTakingPart, leavesOutChecks } from '../engine/selection.ts';
import { kubexmError } from '../model/errors/index.ts';
import type { EventError, EventSink, RunOutcome } from '../model/event.ts';
import type { Facts } from '../model/facts.ts';
import { LOCAL, type LockOwner } from '../model/host.ts';
import type { HostManifest } from '../model/manifest.ts';
import { inEnglish } from '../model/text/spoken.ts';
import { buildGraph, type ExecutionGraph } from '../plan/graph.ts';
import type { Pipeline, PlanArtifacts, PlanContext } from '../plan/layers.ts';
import { diffPlans, planDiffLines, readPlan, renderJson } from '../plan/render/index.ts';
import type { Question, StepUse } from '../plan/step.ts';
import { ClusterManifests } from '../state/manifests.ts';
import { forgetOldRuns } from '../state/old-runs.ts';
import type { OpenConfig } from '../state/open-config.ts';
import { createRun, type RunDir, type RunInputs } from '../state/run-store.ts';
import type { WorkDir } from '../state/work-dir.ts';
import { absentFacts, absentText, refuseAbsent } from './absent.ts';
import type { Connected } from './connect.ts';
import { planContext } from './plan-context.ts';
import { artifactsFor, graphOf } from './plan-pipeline.ts';
import { artifactRequest } from './prerequisites.ts';
import { RunArtifacts } from './run-artifacts.ts';
import { openRunJournal } from './run-journal.ts';
import type { RunPipelineOptions, RunReport } from './run-pipeline.ts';
import { runSinks, writeRunMetrics } from './run-sinks.ts';
import { CHECKS_LEFT_OUT, checkTags, selectionOf } from './selection.ts';

const DEFAULT_LIMITS: Limits = { total: 256, perHost: 4, sending: 4 };

/** A run that is gone on with. */
export interface Earlier {
  readonly dir: RunDir;
  readonly inputs: RunInputs;
}

/** What a run is made of, once the hosts are connected. */
export interface Parts {
  readonly config: OpenConfig;
  readonly workDir: WorkDir;
  readonly earlier: Earlier | undefined;
  readonly run: string;
  readonly owner: LockOwner;
  readonly exclusive: boolean;
  readonly connected: Connected;
}

/** One run of a pipeline: plans it, runs it, reports on it. */
export class PipelineRun<P> {
  private readonly pipeline: Pipeline<P>;
  private readonly params: P;
  private readonly options: RunPipelineOptions;
  private readonly parts: Parts;
  private readonly started = performance.now();
  private readonly manifests: ClusterManifests;
  /** One function for the whole run: what its sources were asked before it began is known by it. */
  private readonly secret = (field: string): string | undefined => this.parts.config.secrets.get(field);
  /** Hosts that do not answer, and that the selected part does not need. */
  private absent: ReadonlySet<string> = new Set();
  private got: RunArtifacts | undefined;

  constructor(pipeline: Pipeline<P>, params: P, options: RunPipelineOptions, parts: Parts) {
    this.pipeline = pipeline;
    this.params = params;
    this.options = options;
    this.parts = parts;
    this.manifests = new ClusterManifests(parts.workDir, parts.config.cluster.metadata.name);
  }

  async run(): Promise<RunReport> {
    const { earlier, connected, owner, exclusive } = this.parts;
    const facts = earlier?.inputs.facts ?? this.facts();
    const { policy = 'change' } = this.pipeline;
    const known =
      policy === 'undo' ? (earlier?.inputs.manifests ?? (await this.manifests.read(connected.machines))) : {};
    const context = this.context(facts, known, await this.artifacts(facts));
    const graph = graphOf(this.pipeline, this.params, context);
    const finalizers = this.pipeline.finalizers && buildGraph(this.pipeline.finalizers(context, this.params));
    checkTags(graph, this.options);
    this.sortOutAbsent(graph);
    const { cluster, redactor } = this.parts.config;
    this.options.onPlanned?.({
      graph,
      cluster,
      facts,
      artifacts: context.artifacts,
      weightOf: (use) => this.weightOf(use),
      redact: (value) => redactor.value(value),
    });
    const request = artifactRequest(graph, this.selection());
    this.got = request && new RunArtifacts(request, this.secret, this.options);
    await this.got?.forecast();
    // A run that is refused here has left nothing behind that `--resume` could take for one that began.
    const owners = policy === 'inspect' ? undefined : this.manifests.owners(connected.machines);
    owners?.catch(() => undefined);
    const locked = exclusive ? await lockMachines(connected.machines, owner) : new Map<string, EventError>();
    try {
      const uid = owners && this.manifests.identify(await owners);
      const unreachable = new Map([...this.unreachable(), ...locked]);
      return await this.begin(graph, finalizers, context, facts, unreachable, uid);
    } catch (error) {
      if (exclusive) await releaseMachines(connected.machines, [...locked.keys()], this.parts.run, false);
      throw error;
    }
  }

  private async begin(
    graph: ExecutionGraph,
    finalizers: ExecutionGraph | undefined,
    context: PlanContext,
    facts: Readonly<Record<string, Facts>>,
    unreachable: ReadonlyMap<string, EventError>,
    uid: string | undefined,
  ): Promise<RunReport> {
    const { config, run, workDir, connected } = this.parts;
    // Both keep files that must be on disk before the journal says that the run began.
    const dir = this.prepare(graph, facts, context);
    const engine = this.engineOptions(uid);
    const sinks = await runSinks(workDir, dir, config.redactor, this.options.sinks ?? []);
    const emit = (event: NewEvent) => sinks({ ...event, at: Date.now(), run } as Parameters<EventSink>[0]);
    try {
      const header = { pipeline: this.pipeline.name, planHash: graph.hash };
      const { journal, replay, close } = openRunJournal(dir, this.options, this.parts, header);
      try {
        emit({ type: 'run-started', ...this.summary(graph, context) });
        connected.onCut((host, reason) =>
          emit({ type: 'warning', error: { code: 'KX4026', params: { host, reason } } }),
        );
        this.tellLost(context, emit);
        this.tellLeftOut(graph, emit);
        if (this.absent.size > 0) emit({ type: 'message', text: absentText([...this.absent]) });
        this.got?.tellRefusal(emit);
        const untell = await this.got?.tellBuilds(emit);
        const all = { ...engine, run, graph, finalizers, emit, journal, replay, unreachable };
        const result = await runGraph(all).finally(untell);
        return await this.finish(result, graph, dir, journal, emit);
      } finally {
        await close();
      }
    } finally {
      await sinks.close();
      await writeRunMetrics(workDir);
    }
  }

  private context(
    facts: Readonly<Record<string, Facts>>,
    manifests: Readonly<Record<string, HostManifest>>,
    artifacts: PlanArtifacts | undefined,
  ): PlanContext {
    const { config, workDir, connected } = this.parts;
    const local = connected.facts[LOCAL];
    const { targets } = this.pipeline.scope?.(this.params) ?? {};
    return planContext(config.cluster, local ? { ...facts, [LOCAL]: local } : facts, {
      workDir: workDir.cluster,
      assumeYes: this.options.assumeYes === true,
      manifests,
      away: new Set(connected.unreachable.keys()),
      ...(targets === undefined ? {} : { targets }),
      ...(artifacts === undefined ? {} : { artifacts }),
    });
  }

  /** What the hosts say; where only a part of the pipeline runs, a host that does not answer is what it was. */
  private facts(): Readonly<Record<string, Facts>> {
    const { connected, workDir } = this.parts;
    return this.pipeline.scope ? { ...absentFacts(connected, workDir), ...connected.facts } : connected.facts;
  }

  /** Refuses to run a part of the pipeline without a host that it needs, and leaves out those that it does not. */
  private sortOutAbsent(graph: ExecutionGraph): void {
    const { connected, earlier } = this.parts;
    if (!this.pipeline.scope || connected.unreachable.size === 0) return;
    const needed = hostsTakingPart(graph, this.selection());
    if (!earlier) refuseAbsent(connected, (host) => needed.has(host));
    this.absent = new Set([...connected.unreachable.keys()].filter((host) => !needed.has(host)));
  }

  /** What the cluster is installed from; of a resumed run, as it was agreed on when that began. */
  private async artifacts(facts: Readonly<Record<string, Facts>>): Promise<PlanArtifacts | undefined> {
    const { config, workDir, earlier } = this.parts;
    const { env = process.env, baseDir = process.cwd() } = this.options;
    const known = this.pipeline.usesArtifacts ? earlier?.inputs.artifacts : undefined;
    return known ?? artifactsFor(this.pipeline, config.cluster, facts, { env, baseDir, workDir: workDir.cluster });
  }

  /** A host whose manifest should be there and is not. */
  private tellLost({ hosts, manifests = {} }: PlanContext, emit: (event: NewEvent) => void): void {
    if (this.pipeline.policy !== 'undo' || this.parts.earlier) return;
    const names = hosts.map((host) => host.name);
    for (const host of this.manifests.lost(names, manifests))
      emit({ type: 'warning', error: { code: 'KX8103', params: { host } } });
  }

  /** That tags leave out the checks. A task that runs alone never has them. */
  private tellLeftOut(graph: ExecutionGraph, emit: (event: NewEvent) => void): void {
    const selection = this.selection();
    if (selection.tasks || !leavesOutChecks(graph, selection)) return;
    emit({ type: 'message', text: CHECKS_LEFT_OUT });
  }

  /** The run's directory: made for a new run, checked against the plan for a resumed one. */
  private prepare(
    graph: ExecutionGraph,
    facts: Readonly<Record<string, Facts>>,
    { manifests = {}, artifacts }: Pick<PlanContext, 'manifests' | 'artifacts'>,
  ): RunDir {
    const { earlier, run, workDir, config } = this.parts;
    const plan = renderJson(graph);
    if (!earlier) {
      const inputs = {
        facts,
        manifests,
        artifacts: artifacts ?? null,
        config: config.cluster,
        plan,
        params: this.params ?? null,
        selection: selectionOf(this.options),
        overrides: this.options.overrides ?? [],
      };
      return createRun(workDir.runs, run, inputs, (value) => config.redactor.value(value));
    }
    const before = readPlan(earlier.inputs.plan);
    if (before?.hash !== graph.hash) {
      const detail = before
        ? planDiffLines(diffPlans(before, plan)).join('\n')
        : 'it was written by another version of kubexm';
      throw kubexmError('KX4007', { run, detail: 'the plan has changed since' }, { detail });
    }
    return earlier.dir;
  }

  private engineOptions(uid: string | undefined) {
    const { options, parts } = this;
    const owns = uid !== undefined && (this.pipeline.policy ?? 'change') === 'change' && options.dryRun !== true;
    return {
      machines: parts.connected.machines,
      dryRun: options.dryRun === true,
      onFailure: options.onFailure ?? ('rollback' as const),
      selection: this.selection(),
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      drain: options.drain ?? new AbortController().signal,
      stop: options.stop ?? new AbortController().signal,
      ask: (question: Question) => this.ask(question),
      redact: (secret: string) => parts.config.redactor.add(secret),
      secret: this.secret,
      manifest: owns ? this.manifests.writer(uid, parts.config.secrets.values()) : undefined,
    };
  }

  private selection(): Selection {
    const { tags = [], skipTags = [] } = this.options;
    return { tags, skipTags, ...this.pipeline.scope?.(this.params) };
  }

  private async ask(question: Question): Promise<string> {
    if (question.confirm && this.options.assumeYes) return 'yes';
    if (!this.options.ask) throw kubexmError('KX4013', { question: inEnglish(question.text) });
    return this.options.ask(question);
  }

  private unreachable(): ReadonlyMap<string, EventError> {
    const entries = [...this.parts.connected.unreachable].filter(([host]) => !this.absent.has(host));
    return new Map(entries.map(([host, error]) => [host, asEventError(error, host)]));
  }

  /** Hosts that the run was about and that nobody can find by the file any more. */
  private strays(): RunReport['unreachable'] {
    if (!this.pipeline.everyHost) return [];
    return this.manifests.strays(this.parts.config.cluster.spec.hosts.map(({ name }) => name));
  }

  private weightOf(use: StepUse): number {
    return this.got?.weightOf(use) ?? use.weight;
  }

  private summary(graph: ExecutionGraph, context: PlanContext) {
    const { steps, seconds } = extentOf(graph, this.selection(), (use) => this.weightOf(use));
    const builds = this.got?.builds;
    return {
      pipeline: this.pipeline.name,
      cluster: this.parts.config.cluster.metadata.name,
      hosts: context.hosts.map((host) => host.name),
      nodes: steps,
      planHash: graph.hash,
      dryRun: this.options.dryRun === true,
      resumed: this.parts.earlier !== undefined,
      estimateSeconds: seconds,
      ...(builds === undefined ? {} : { builds }),
    };
  }

  private async finish(
    result: ExecuteResult,
    graph: ExecutionGraph,
    dir: RunDir,
    journal: JournalWriter,
    emit: (event: NewEvent) => void,
  ): Promise<RunReport> {
    const { connected, config, run, exclusive } = this.parts;
    const dryRun = this.options.dryRun === true;
    const strays = this.strays();
    const unreachable = [...[...this.unreachable()].map(([host, error]) => ({ host, error })), ...strays];
    const outcome: RunOutcome = result.outcome === 'succeeded' && unreachable.length > 0 ? 'partial' : result.outcome;
    // To go on with the run would not bring a host back into the file.
    const isOver = result.outcome === 'succeeded' && unreachable.length === strays.length;
    if (this.pipeline.policy === 'undo' && !dryRun)
      this.manifests.forget(await this.manifests.owners(connected.machines));
    if (outcome !== 'succeeded') await this.got?.tellKept(emit);
    // First the hosts, then the journal: a run that is killed in between is resumed and leaves nothing behind.
    if (exclusive) await releaseMachines(connected.machines, result.lostHosts, run, isOver);
    await journal.durable({ node: 'run', phase: 'ended', outcome });
    if (exclusive && isOver) await forgetOldRuns(connected.machines.values(), this.parts.workDir.runs);
    const durationMs = performance.now() - this.started;
    const resumable = exclusive && !isOver;
    const names = { pipeline: this.pipeline.name, cluster: config.cluster.metadata.name };
    emit({ type: 'run-finished', ...result, ...names, outcome, durationMs, resumable });
    const changes = (result.counts.changed ?? 0) + (result.counts['would-change'] ?? 0);
    const more = { run, dryRun, durationMs, resumable, logFile: dir.log, planHash: graph.hash, changes };
    // It is printed as the events are: hosts may have said a secret.
    return { ...config.redactor.value({ ...result, unreachable }), ...names, ...more, outcome };
  }
}
