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
export { lastFacts } from './last-facts.ts';
export { changedHosts } from './manifests.ts';
export { ConfigError, openCluster } from './open-config.ts';
export { version } from './version.ts';
export { requireOwnWorkDir, WORK_DIR, type WorkDir, workDirOf } from './work-dir.ts';
