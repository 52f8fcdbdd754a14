import type { Cluster } from '../model/cluster/index.ts';
import { kubexmError } from '../model/errors/index.ts';
import type { Facts } from '../model/facts.ts';
import { LOCAL } from '../model/host.ts';
import type { HostManifest } from '../model/manifest.ts';
import { checkWants } from '../plan/check-wants.ts';
import { buildGraph, type ExecutionGraph } from '../plan/graph.ts';
import type { Pipeline, PlanArtifacts, PlanContext } from '../plan/layers.ts';
import { lastFacts } from '../state/last-facts.ts';
import { openFor } from '../state/open-config.ts';
import { workDirOf } from '../state/work-dir.ts';
import { planArtifacts } from './artifacts.ts';
import { planContext } from './plan-context.ts';

/** What a pipeline is planned from, without a connection to any host. */
export interface PlanPipelineOptions {
  readonly configFile: string;
  /** Fields that hold instead of what the file says, as `path=value`. */
  readonly overrides?: readonly string[];
  /** Where `.kubexm` is. Default: the current directory. */
  readonly baseDir?: string;
  /** By the name of the host; `LOCAL` is the machine kubexm runs on. Default: what the last runs read. */
  readonly facts?: Readonly<Record<string, Facts>>;
  /** What was changed on the hosts, for a pipeline that undoes it. Default: nothing. */
  readonly manifests?: Readonly<Record<string, HostManifest>>;
  readonly assumeYes?: boolean;
  readonly env?: NodeJS.ProcessEnv;
}

/** A plan, and what it was made from. */
export interface PlannedPipeline {
  readonly graph: ExecutionGraph;
  readonly cluster: Cluster;
  readonly artifacts: PlanArtifacts | undefined;
}

/** Plans a pipeline from a file and facts. Connects to nothing and writes nothing; throws what `runPipeline` would. */
export async function planPipeline<P>(
  pipeline: Pipeline<P>,
  params: P,
  options: PlanPipelineOptions,
): Promise<PlannedPipeline> {
  const { env = process.env, baseDir = process.cwd(), manifests = {}, assumeYes = false } = options;
  const { cluster } = await openFor(options.configFile, pipeline, options.overrides);
  const workDir = workDirOf(baseDir, cluster.metadata.name);
  const names = [...cluster.spec.hosts.map(({ name }) => name), LOCAL];
  const facts = options.facts ?? Object.fromEntries(lastFacts(workDir, names));
  const unknown = names.filter((name) => facts[name] === undefined);
  if (unknown.length > 0) throw kubexmError('KX4042', { hosts: unknown.join(', ') });
  const artifacts = await artifactsFor(pipeline, cluster, facts, { env, baseDir, workDir: workDir.cluster });
  const { targets } = pipeline.scope?.(params) ?? {};
  const context = planContext(cluster, facts, {
    workDir: workDir.cluster,
    assumeYes,
    manifests,
    ...(targets === undefined ? {} : { targets }),
    ...(artifacts === undefined ? {} : { artifacts }),
  });
  return { graph: graphOf(pipeline, params, context), cluster, artifacts };
}

/** The checked graph of a pipeline. */
export function graphOf<P>(pipeline: Pipeline<P>, params: P, context: PlanContext): ExecutionGraph {
  const graph = buildGraph(pipeline.plan(context, params));
  checkWants(graph);
  return graph;
}

/** What the cluster is installed from, for a pipeline that uses it. */
export async function artifactsFor(
  { usesArtifacts = false }: Pick<Pipeline<never>, 'usesArtifacts'>,
  cluster: Cluster,
  facts: Readonly<Record<string, Facts>>,
  at: { readonly env: NodeJS.ProcessEnv; readonly baseDir: string; readonly workDir: string },
): Promise<PlanArtifacts | undefined> {
  if (usesArtifacts === false) return undefined;
  return await planArtifacts(cluster, facts, at, usesArtifacts === true ? [] : usesArtifacts);
}
