import { parallel } from '../plan/combinators.ts';
import { defineModule } from '../plan/layers.ts';
import { closeTask } from '../task/cluster/close.ts';
import { healthTask } from '../task/cluster/health.ts';
import { kubeconfigTask } from '../task/cluster/kubeconfig.ts';
import { labelsTask } from '../task/cluster/labels.ts';
import { reportTask } from '../task/cluster/report.ts';

/** What is left when a node has joined: to be well. */
export const clusterModule = defineModule({
  name: 'cluster',
  description: 'The kubeconfig, and nodes that are ready.',
  tasks: [kubeconfigTask, healthTask],
  plan: (context) => parallel(kubeconfigTask.use(context), healthTask.use(context)),
});

/**
 * The end of every creation, a bad one too: nothing is left that lets others join, and people see how the cluster is. A node
 * that has not joined is labelled when it has.
 */
export const diagnosticsModule = defineModule({
  name: 'diagnostics',
  description: 'The labels of the nodes, no token to join by, and how the cluster is.',
  tasks: [labelsTask, closeTask, reportTask],
  plan: (context) => parallel(...[labelsTask, closeTask, reportTask].map((task) => task.use(context))),
});
