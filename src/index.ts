/**
 * kubexm as a library: what the command line, the web page and other programs use. Only this file joins pipelines, engine and
 * runtime.
 */
import { pipelines } from './pipeline/index.ts';
import type { Module, Task } from './plan/layers.ts';
import { genericSteps } from './step/generic/index.ts';

export { artifactCacheDir } from './artifacts/cache/index.ts';
export * from './artifacts/catalog/index.ts';
export {
  type ArtifactForecast,
  type ArtifactRow,
  type ArtifactState,
  artifactSeconds,
  type PruneReport,
  plannedBuilds,
  pruneArtifacts,
  verifyArtifacts,
} from './artifacts/handles/index.ts';
export * as oci from './artifacts/oci/index.ts';
export * from './config/index.ts';
export type { Limits } from './engine/options.ts';
export * from './kubeconfig/index.ts';
export {
  captureMachine,
  type Difference,
  type DiffOptions,
  diffMachine,
  type MachineDiff,
  type MachineSnapshot,
  readDiffRules,
  takeBaseline,
} from './lab/diff/index.ts';
export * from './lab/index.ts';
export { keepLabConfig, sshWords } from './lab/use.ts';
export type { Cluster, ClusterHost } from './model/cluster/index.ts';
export type { Effect } from './model/effect.ts';
export * from './model/errors/index.ts';
export type {
  EventError,
  EventSink,
  NodeRef,
  Outcome,
  PathStep,
  PlannedBuilds,
  RunEvent,
  RunOutcome,
} from './model/event.ts';
export type { Facts } from './model/facts.ts';
export { type Host, LOCAL, type LockOwner, type Machine, type Output } from './model/host.ts';
export type { HostManifest, ManifestEntry } from './model/manifest.ts';
export { quote, type Script, sh } from './model/script.ts';
export * from './observe/index.ts';
export * from './pipeline/index.ts';
export * from './plan/index.ts';
export * from './runtime/index.ts';
export * from './state/index.ts';
export { genericSteps } from './step/generic/index.ts';

/** Everything that can be planned, from the code itself: what the references are written from. */
export function reference() {
  const modules = unique(pipelines.flatMap((pipeline) => pipeline.modules as readonly Module<unknown>[]));
  const tasks = unique(modules.flatMap((module) => module.tasks as readonly Task<unknown, unknown>[]));
  const dedicatedSteps = unique(tasks.flatMap((task) => task.steps));
  return { pipelines, modules, tasks, dedicatedSteps, genericSteps };
}

function unique<T>(items: readonly T[]): readonly T[] {
  return [...new Set(items)];
}
