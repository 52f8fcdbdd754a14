import { readFileSync } from 'node:fs';
import { configFingerprint, diffConfigs } from '../config/index.ts';
import type { ArtifactLock } from '../model/artifact-lock.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { kubexmError } from '../model/errors/index.ts';
import type { Facts } from '../model/facts.ts';
import { canonical, type Json } from '../model/json.ts';
import { diffPlans, type PlanDocument, planDiffLines, readPlan, renderJson } from '../plan/render/index.ts';
import { version } from '../state/version.ts';
import type { PlannedRun, RunPipelineOptions } from './run-pipeline.ts';

const SAVED_PLAN_VERSION = 'kubexm.io/saved-plan/v1';

/** A plan with all that it was made from, to be run later as it is. It has no secrets. */
export interface SavedPlan {
  readonly apiVersion: typeof SAVED_PLAN_VERSION;
  readonly kubexm: string;
  readonly pipeline: string;
  readonly params: Json;
  readonly cluster: string;
  readonly createdAt: string;
  readonly configFile: string;
  readonly baseDir: string;
  /** Fields that held instead of the file's. */
  readonly overrides: readonly string[];
  readonly configHash: string;
  readonly config: Json;
  readonly facts: Readonly<Record<string, Facts>>;
  readonly lock: ArtifactLock;
  readonly plan: PlanDocument;
}

/** Where a plan was made, and of what. */
export type PlanOrigin = Pick<SavedPlan, 'pipeline' | 'params' | 'configFile' | 'baseDir' | 'overrides'>;

/** A plan as it is saved. */
export function savedPlanOf(origin: PlanOrigin, { graph, cluster, facts, artifacts, redact }: PlannedRun): SavedPlan {
  const plain = JSON.parse(JSON.stringify(cluster)) as Json;
  return {
    apiVersion: SAVED_PLAN_VERSION,
    kubexm: version,
    ...origin,
    cluster: cluster.metadata.name,
    createdAt: new Date().toISOString(),
    configHash: configFingerprint(cluster),
    config: redact(plain) as Json,
    facts,
    lock: artifacts?.lock ?? {},
    plan: redact(renderJson(graph)) as PlanDocument,
  };
}

/** Reads a saved plan. Throws KX4033 if it is none. */
export function readSavedPlan(file: string): SavedPlan {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<SavedPlan> | null;
    if (value?.apiVersion !== SAVED_PLAN_VERSION) throw new Error(`its apiVersion is not ${SAVED_PLAN_VERSION}`);
    const texts = [value.pipeline, value.cluster, value.configFile, value.baseDir, value.configHash, value.kubexm];
    const objects = [value.facts, value.lock, value.config];
    const whole =
      texts.every((text) => typeof text === 'string') &&
      objects.every((one) => typeof one === 'object' && one !== null) &&
      Array.isArray(value.overrides) &&
      value.overrides.every((word) => typeof word === 'string') &&
      value.params !== undefined &&
      readPlan(value.plan) !== undefined;
    if (!whole) throw new Error('a part of it is missing');
    return value as SavedPlan;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw kubexmError('KX4033', { file, reason }, { cause: error });
  }
}

/**
 * Makes a run execute exactly a saved plan: the run is planned again from the current state, and refused, with the difference, if
 * that gives another plan. So only what the plan depends on counts.
 */
export function exactly(saved: SavedPlan, file: string): Required<Pick<RunPipelineOptions, 'onPlanned'>> {
  return { onPlanned: (planned) => refuseIfMoved(saved, planned, file) };
}

const MOST_LINES = 40;

function refuseIfMoved(saved: SavedPlan, { graph, cluster, facts, artifacts }: PlannedRun, file: string): void {
  const detail = (lines: readonly string[]) => ({
    detail: [...lines.slice(0, MOST_LINES), ...(lines.length > MOST_LINES ? ['…'] : [])].join('\n'),
  });
  if (configFingerprint(cluster) !== saved.configHash) {
    const changes = diffConfigs(saved.config as unknown as Cluster, cluster);
    const lines = changes.map(({ path, before, after }) => `${path}: ${before ?? '–'} → ${after ?? '–'}`);
    throw kubexmError('KX4034', { file }, detail(lines));
  }
  if (graph.hash === saved.plan.hash) return;
  const plan = planDiffLines(diffPlans(saved.plan, renderJson(graph)));
  const locked = changesIn(saved.lock, artifacts?.lock ?? {});
  if (locked.length > 0) throw kubexmError('KX4037', { file }, detail([...locked, ...plan]));
  const moved = changesIn(lasting(saved.facts), lasting(facts));
  if (moved.length > 0) throw kubexmError('KX4038', { file }, detail([...moved, ...plan]));
  throw kubexmError('KX4039', { file, version: saved.kubexm }, detail(plan));
}

/** Facts without what moves from minute to minute: that would be named each time, and is hardly ever the reason. */
function lasting(facts: SavedPlan['facts']): SavedPlan['facts'] {
  const still = ({ mounts, ...rest }: Facts): Facts => ({
    ...rest,
    timeOffsetMs: 0,
    mounts: mounts.map((mount) => ({ ...mount, freeBytes: 0 })),
  });
  return Object.fromEntries(Object.entries(facts).map(([host, one]) => [host, still(one)]));
}

/** What differs between two pieces of data, a line each: `node1.kernel: 6.1 → 6.2`. */
function changesIn(before: unknown, after: unknown, path = ''): readonly string[] {
  const [a, b] = [before ?? null, after ?? null] as [Json, Json];
  if (canonical(a) === canonical(b)) return [];
  if (!isObject(a) || !isObject(b)) return [`${path}: ${shown(a)} → ${shown(b)}`];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return keys.flatMap((key) => changesIn(a[key], b[key], path === '' ? key : `${path}.${key}`));
}

function isObject(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: Json): string {
  if (value === null) return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
