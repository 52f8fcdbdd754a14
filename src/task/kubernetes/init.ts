import { kubeadm } from '../../component/kubernetes.ts';
import { marked, on, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { kubeadmConfigFile, kubeadmInit } from '../../step/kubeadm/index.ts';
import { firstMaster, targetMasters } from '../nodes.ts';
import { clusterSettings, nodePlaces, nodeSettings } from './settings.ts';

/** The first control plane: the only point that all other nodes wait for. */
export const initKubernetesTask = defineTask({
  name: 'kubernetes/init',
  description: 'Begin the cluster on the first master.',
  tags: ['kubernetes', 'init'],
  steps: [kubeadmConfigFile, kubeadmInit],
  isRequired: (context) => kubeadm.isUsed(context.cluster) && targetMasters(context).includes(firstMaster(context)),
  plan: (context) => {
    const first = firstMaster(context);
    const settings = { cluster: clusterSettings(context), node: nodeSettings(context, first) };
    return sequence(
      on(first, kubeadmConfigFile(settings)),
      marked('cluster-begun', on(first, kubeadmInit({ places: nodePlaces(context, first) }))),
    );
  },
});
