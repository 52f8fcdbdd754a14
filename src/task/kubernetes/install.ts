import { on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { installProgram } from '../../step/artifacts.ts';
import { KUBERNETES, kubeletDropIn, kubeletEnabled, kubeletUnitFile, kubernetesDirectory } from '../../step/kubeadm.ts';
import { networkEffects } from '../../step/network.ts';
import { programs } from '../artifacts/programs.ts';
import { nodesOf } from '../nodes.ts';
import { nodePlaces } from './settings.ts';

/** kubeadm, kubelet and kubectl on every node; the kubelet waits for its configuration. */
export const installKubernetesTask = defineTask({
  name: 'kubernetes/install',
  description: 'Install kubeadm, kubelet and kubectl, and the unit of the kubelet.',
  tags: ['kubernetes', 'install'],
  steps: [kubernetesDirectory, installProgram, kubeletUnitFile, kubeletDropIn, kubeletEnabled],
  plan: (context) => {
    const nodes = nodesOf(context);
    const directory = KUBERNETES.dropIn.replace(/\/[^/]*$/, '');
    const { kubernetes, network } = context.cluster.spec;
    const runtime = kubernetes.containerRuntime.type;
    const effects = networkEffects(network.plugin);
    const fragment = sequence(
      parallel(
        programs(context, nodes, 'kubernetes', ['kubeadm', 'kubelet', 'kubectl'], '/usr/local/bin'),
        on(nodes, kubeletUnitFile({ runtime })),
        sequence(
          on(nodes, kubernetesDirectory({ path: directory }), { name: 'directory-drop-in' }),
          on(nodes, kubeletDropIn({})),
        ),
      ),
      on(nodes, kubeletEnabled({ places: nodePlaces(context), effects })),
    );
    return { fragment, outputs: undefined };
  },
});
