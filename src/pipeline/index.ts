import { downloadArtifacts } from './artifacts/download.ts';
import { createCluster } from './cluster/create.ts';
import { deleteCluster } from './cluster/delete.ts';
import { resetNodes } from './node/reset.ts';
import { runCommand } from './node/run-command.ts';

export { downloadArtifacts } from './artifacts/download.ts';
export { type CreateClusterParams, createCluster } from './cluster/create.ts';
export { deleteCluster } from './cluster/delete.ts';
export { type ResetNodesParams, resetNodes, resetNodesWith } from './node/reset.ts';
export { type RunCommandParams, runCommand } from './node/run-command.ts';

/** Every pipeline, for the reference. */
export const pipelines = [createCluster, deleteCluster, downloadArtifacts, runCommand, resetNodes] as const;
