import type { CommandSpec } from '../command-spec.ts';
import { applyPlanCommand } from './apply-plan.ts';
import { checkClusterCommand } from './check-cluster.ts';
import { completeCommand } from './complete.ts';
import { completionCommand } from './completion.ts';
import { configGetContextsCommand } from './config-get-contexts.ts';
import { configUseContextCommand } from './config-use-context.ts';
import { configViewCommand } from './config-view.ts';
import { createClusterCommand } from './create-cluster.ts';
import { deleteClusterCommand } from './delete-cluster.ts';
import { describeClusterCommand } from './describe-cluster.ts';
import { describeRunCommand } from './describe-run.ts';
import { downloadArtifactsCommand } from './download-artifacts.ts';
import { explainCommand } from './explain.ts';
import { generateConfigCommand } from './generate-config.ts';
import { generateDocsCommand } from './generate-docs.ts';
import { generateSchemaCommand } from './generate-schema.ts';
import { getArtifactsCommand } from './get-artifacts.ts';
import { getClustersCommand } from './get-clusters.ts';
import { getEventsCommand } from './get-events.ts';
import { getKubeconfigCommand } from './get-kubeconfig.ts';
import { getMetricsCommand } from './get-metrics.ts';
import { getNodesCommand } from './get-nodes.ts';
import { getRunsCommand } from './get-runs.ts';
import { labConfigCommand } from './lab-config.ts';
import { labCreateCommand } from './lab-create.ts';
import { labDeleteCommand } from './lab-delete.ts';
import { labDiffCommand } from './lab-diff.ts';
import { labListCommand } from './lab-list.ts';
import { labDelayCommand, labHealCommand, labPartitionCommand } from './lab-network.ts';
import { labCutCommand, labRebootCommand, labStartCommand, labStopCommand } from './lab-power.ts';
import { labRestoreCommand, labSnapshotCommand } from './lab-snapshot.ts';
import { labSshCommand } from './lab-ssh.ts';
import { planClusterCommand } from './plan-cluster.ts';
import { pruneArtifactsCommand } from './prune-artifacts.ts';
import { quickstartCommand } from './quickstart.ts';
import { resetNodesCommand } from './reset-nodes.ts';
import { runCommandCommand } from './run-command.ts';
import { runTaskCommand } from './run-task.ts';
import { unlockCommand } from './unlock.ts';
import { validateConfigCommand } from './validate-config.ts';
import { verifyArtifactsCommand } from './verify-artifacts.ts';
import { versionCommand } from './version.ts';

/** Every command, in the order in which help lists them. */
export const commands: readonly CommandSpec[] = [
  quickstartCommand,
  generateConfigCommand,
  validateConfigCommand,
  planClusterCommand,
  applyPlanCommand,
  createClusterCommand,
  checkClusterCommand,
  deleteClusterCommand,
  getClustersCommand,
  getNodesCommand,
  getKubeconfigCommand,
  describeClusterCommand,
  getArtifactsCommand,
  downloadArtifactsCommand,
  verifyArtifactsCommand,
  pruneArtifactsCommand,
  runTaskCommand,
  runCommandCommand,
  getRunsCommand,
  describeRunCommand,
  getEventsCommand,
  getMetricsCommand,
  resetNodesCommand,
  unlockCommand,
  labCreateCommand,
  labListCommand,
  labSshCommand,
  labConfigCommand,
  labStartCommand,
  labStopCommand,
  labRebootCommand,
  labCutCommand,
  labPartitionCommand,
  labHealCommand,
  labDelayCommand,
  labSnapshotCommand,
  labRestoreCommand,
  labDiffCommand,
  labDeleteCommand,
  explainCommand,
  configGetContextsCommand,
  configUseContextCommand,
  configViewCommand,
  generateSchemaCommand,
  generateDocsCommand(() => commands),
  completionCommand,
  completeCommand(() => commands),
  versionCommand,
];
