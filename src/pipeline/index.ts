import { downloadArtifacts } from './artifacts/download.ts';
import { checkCluster } from './cluster/check.ts';
import { createCluster } from './cluster/create.ts';
import { deleteCluster } from './cluster/delete.ts';
import { runTask } from './cluster/run-task.ts';
import { resetNodes } from './node/reset.ts';
import { runCommand } from './node/run-command.ts';

export { downloadArtifacts } from './artifacts/download.ts';
export { checkCluster } from './cluster/check.ts';
export { type CreateClusterParams, createCluster } from './cluster/create.ts';
export { deleteCluster } from './cluster/delete.ts';
export { checkTaskName, type RunTaskParams, runTask, taskNames } from './cluster/run-task.ts';
export { type ResetNodesParams, resetNodes, resetNodesWith } from './node/reset.ts';
export { type RunCommandParams, runCommand } from './node/run-command.ts';

/** Every pipeline, for the reference. */
export const pipelines = [
  createCluster,
  checkCluster,
  deleteCluster,
  downloadArtifacts,
  runTask,
  runCommand,
  resetNodes,
] as const;
