/**
 * kubexm as a library: what the command line, the web page and other programs use. Only this file joins pipelines, engine and
 * runtime. It is the whole public interface: every name is listed, and nothing else can be imported from the package.
 *
 *     import { createCluster, planPipeline, renderText, runPipeline } from 'kubexm';
 *
 *     const params = { skipPreflight: false };
 *     const { graph } = await planPipeline(createCluster, params, { configFile: 'cluster.yaml', facts });
 *     process.stdout.write(renderText(graph, { width: 100 }));
 *     const report = await runPipeline(createCluster, params, { configFile: 'cluster.yaml', sinks: [console.log] });
 */
import { pipelines } from './pipeline/index.ts';
import type { Module, Task } from './plan/layers.ts';
import { genericSteps } from './step/generic/index.ts';

// The configuration: load and check it, describe it, write an example.

export {
  type ConfigChange,
  type ConfigSource,
  type ConfigText,
  clusterJsonSchema,
  countProblems,
  describeSchema,
  diffConfigs,
  type ExampleOptions,
  exampleConfig,
  type FieldDescription,
  type LoadedConfig,
  type Location,
  loadConfig,
  type Problem,
  type RenderOptions,
  renderProblems,
} from './config/index.ts';
export type { Cluster, ClusterHost } from './model/cluster/index.ts';
export { checkConfig } from './runtime/index.ts';
export { ConfigError, openCluster } from './state/index.ts';

// The pipelines: one for each intent.

export {
  type CreateClusterParams,
  checkCluster,
  checkTaskName,
  createCluster,
  deleteCluster,
  downloadArtifacts,
  pipelines,
  type ResetNodesParams,
  type RunCommandParams,
  type RunTaskParams,
  resetNodes,
  resetNodesWith,
  runCommand,
  runTask,
  taskNames,
} from './pipeline/index.ts';

// Planning: from a file and facts, without a connection; plans as text and as data.

export type { Facts } from './model/facts.ts';
export { LOCAL } from './model/host.ts';
export {
  criticalPath,
  type Diff,
  diffPlans,
  type ExecutionGraph,
  type PlanDiff,
  type PlanDocument,
  planDiffLines,
  readPlan,
  renderDot,
  renderJson,
  renderMermaid,
  renderText,
  weighed,
} from './plan/index.ts';
export { type PlannedPipeline, type PlanPipelineOptions, planPipeline } from './runtime/index.ts';

// Running: plan, connect, change, report. Everything that happens is an event.

export type { Limits } from './engine/options.ts';
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
export type { Question } from './plan/index.ts';
export {
  exactly,
  exitCodeOfReport,
  KeyRing,
  type PlannedRun,
  prerequisiteError,
  type RunPipelineOptions,
  type RunReport,
  readSavedPlan,
  runPipeline,
  type SavedPlan,
  type ShownKey,
  savedPlanOf,
  selectHosts,
} from './runtime/index.ts';

// After a run: the user's kubeconfigs, the clusters known on this machine, the facts that were read last.

export {
  checkMerge,
  forgetKubeconfig,
  hearFetched,
  type KubeconfigPlace,
  type KubeconfigUser,
  kubeconfigOf,
  mergeKubeconfig,
  type Unmerged,
  unmergeKubeconfig,
  userKubeconfig,
} from './kubeconfig/index.ts';
export {
  type Context,
  type Contexts,
  changedHosts,
  contextsFile,
  forgetContext,
  lastFacts,
  readContexts,
  recordContext,
  requireOwnWorkDir,
  useContext,
  WORK_DIR,
  type WorkDir,
  workDirOf,
} from './state/index.ts';

// Clusters and their hosts: their state, their locks, what was changed on them.

export type { LockOwner } from './model/host.ts';
export type { HostManifest, ManifestEntry } from './model/manifest.ts';
export {
  askCluster,
  breakLocks,
  type ClusterDescription,
  type Condition,
  describeCluster,
  type HostLock,
  type HostManifestReport,
  type LiveCluster,
  type LiveNode,
  lockOwners,
  readManifests,
  type UnlockResult,
} from './runtime/index.ts';
export {
  type ClusterPlace,
  type ClusterRow,
  type ClusterStatus,
  listClusters,
  listNodes,
  type NodeRow,
  type NodeState,
} from './state/index.ts';

// What happened: stored events, logs, metrics.

export {
  buildLines,
  type EventFilter,
  type EventReader,
  fanOut,
  guessText,
  heartbeatLine,
  metricsText,
  openEventStore,
  type PlainOptions,
  plainLines,
  Redactor,
  type RunFilter,
  type RunRecord,
  type RunStatus,
  type StoredEvent,
  serveMetrics,
} from './observe/index.ts';
export { type ClusterHistory, openHistory } from './state/index.ts';

// Artifacts: what a cluster is installed from.

export { artifactCacheDir } from './artifacts/cache/index.ts';
export { type Catalog, findComponent, readCatalog } from './artifacts/catalog/index.ts';
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
export { forecastCluster, forgetArtifacts, listArtifacts } from './runtime/index.ts';

// Errors: one catalogue, in English and Chinese.

export {
  catalogue,
  type ErrorCode,
  type ErrorDetail,
  type ErrorEntry,
  type ErrorParams,
  type ExitCode,
  errorRemedy,
  errorTitle,
  exitCodeOf,
  findError,
  KubexmError,
  kubexmError,
  type Lang,
  type Text,
} from './model/errors/index.ts';
export { inLanguage } from './model/text/spoken.ts';

// Pipelines of your own: steps, tasks, modules, and how they are linked.

export type { Effect } from './model/effect.ts';
export type { Host, Machine, Output } from './model/host.ts';
export { quote, type Script, sh } from './model/script.ts';
export {
  barrier,
  type Change,
  type DedicatedStep,
  dedicated,
  defineModule,
  definePipeline,
  defineStep,
  defineTask,
  type ExecutionFragment,
  type ExecutionNode,
  half,
  type JoinNeeds,
  lastly,
  type Module,
  type ModuleDefinition,
  member,
  moduleOf,
  needed,
  nothing,
  on,
  type Pipeline,
  type PipelineDefinition,
  type PlanArtifacts,
  type PlanContext,
  type PlanHost,
  type Policy,
  parallel,
  perHost,
  type Ref,
  type Retry,
  type Rolling,
  rolling,
  type Scope,
  type Step,
  type StepDefinition,
  type StepFragment,
  type StepIo,
  type StepUse,
  satisfied,
  sequence,
  type Task,
  type TaskDefinition,
  until,
  type Verdict,
  type Wanted,
  withOutputs,
} from './plan/index.ts';
export { genericSteps } from './step/generic/index.ts';

// The lab: throwaway machines on this one.

export {
  captureMachine,
  type Difference,
  type DiffOptions,
  diffMachine,
  type MachineDiff,
  type MachineSnapshot,
} from './lab/diff/index.ts';
export {
  type BrokenLab,
  brokenLabs,
  type CreateLabOptions,
  createLab,
  cutLab,
  cutMachine,
  delayMachine,
  deleteLab,
  type ExecOptions,
  type ExecResult,
  execInMachine,
  findMachine,
  healMachine,
  LAB_KUBERNETES,
  type Lab,
  type LabImage,
  type LabMachine,
  type LabOptions,
  type LabPlaces,
  type LabProgress,
  type LabSpec,
  labConfig,
  labPlaces,
  listLabs,
  type MachineCommand,
  type MachineRef,
  openLab,
  partitionMachine,
  prepareBox,
  rebootLab,
  rebootMachine,
  restoreLab,
  snapshotLab,
  startLab,
  startMachine,
  stopLab,
  stopMachine,
} from './lab/index.ts';
export { keepLabConfig, sshWords } from './lab/use.ts';

// The program itself: its version, and all that it can plan, from the code.

export { version } from './state/index.ts';

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
