export { KeyRing, type ShownKey } from '../host/index.ts';
export { forecastCluster, forgetArtifacts, listArtifacts } from './artifacts.ts';
export { type ClusterDescription, type Condition, describeCluster } from './cluster-description.ts';
export { askCluster, type LiveCluster, type LiveNode } from './cluster-live.ts';
export { clusterLockOwner } from './cluster-lock.ts';
export { type ClusterPlace, listNodes, type NodeRow, type NodeState } from './cluster-nodes.ts';
export type { ClusterStatus } from './cluster-status.ts';
export { type ClusterRow, listClusters } from './clusters.ts';
export {
  type Context,
  type Contexts,
  contextsFile,
  forgetContext,
  readContexts,
  recordContext,
  useContext,
} from './contexts.ts';
export { type ClusterHistory, openHistory } from './history.ts';
export { breakLocks, type HostLock, lockOwners, type UnlockResult } from './host-locks.ts';
export { type HostManifestReport, readManifests } from './host-manifests.ts';
export { changedHosts } from './manifests.ts';
export {
  checkMerge,
  type KubeconfigPlace,
  type KubeconfigUser,
  kubeconfigOf,
  mergeKubeconfig,
  type Unmerged,
  unmergeKubeconfig,
  userKubeconfig,
} from './merged-kubeconfig.ts';
export { ConfigError, type OpenConfig, openCluster } from './open-config.ts';
export { prerequisiteError } from './prerequisites.ts';
export { exitCodeOfReport } from './report.ts';
export { type PlannedRun, type RunPipelineOptions, type RunReport, runPipeline } from './run-pipeline.ts';
export { exactly, type PlanOrigin, readSavedPlan, type SavedPlan, savedPlanOf } from './saved-plan.ts';
export { selectHosts } from './select-hosts.ts';
export { version } from './version.ts';
export { requireOwnWorkDir, WORK_DIR, type WorkDir, workDirOf } from './work-dir.ts';
