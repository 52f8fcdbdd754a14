import { sequence } from '../plan/combinators.ts';
import { defineModule } from '../plan/layers.ts';
import { finishTask, healthTask } from '../task/cluster/finish.ts';

/** What is left when all nodes have joined: labels, the kubeconfig, and a look at how the cluster is. */
export const clusterModule = defineModule({
  name: 'cluster',
  description: 'Labels, the kubeconfig, and how the cluster is.',
  tasks: [finishTask, healthTask],
  plan: (context) => ({
    fragment: sequence(finishTask.use(context).fragment, healthTask.use(context).fragment),
    outputs: undefined,
  }),
});
