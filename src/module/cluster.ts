import { barrier, parallel, sequence } from '../plan/combinators.ts';
import { defineModule } from '../plan/layers.ts';
import { finishTask } from '../task/cluster/finish.ts';
import { healthTask } from '../task/cluster/health.ts';
import { kubeconfigTask } from '../task/cluster/kubeconfig.ts';
import { reportTask } from '../task/cluster/report.ts';

/** What is left when a node has joined: to be well, and when all are, labels and a last look. */
export const clusterModule = defineModule({
  name: 'cluster',
  description: 'The kubeconfig, nodes that are ready, their labels, and how the cluster is.',
  tasks: [kubeconfigTask, healthTask, finishTask, reportTask],
  plan: (context) => ({
    fragment: parallel(
      kubeconfigTask.use(context).fragment,
      // The only place where all wait for all: a machine that is lost is labelled when it comes back.
      barrier(
        'joined',
        'present',
        healthTask.use(context).fragment,
        sequence(finishTask.use(context).fragment, reportTask.use(context).fragment),
      ),
    ),
    outputs: undefined,
  }),
});
