import { componentsOf, runtimeOf } from '../../component/index.ts';
import { kubeadm } from '../../component/kubernetes.ts';
import { on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import {
  KUBERNETES,
  kubeletDropIn,
  kubeletEnabled,
  kubeletUnitFile,
  kubernetesDirectory,
} from '../../step/kubeadm/index.ts';
import { targetNodes } from '../nodes.ts';
import { nodePlaces } from './settings.ts';

/**
 * The unit of the kubelet, which waits for its configuration. Not beside the packages: when one is removed, Debian's
 * deb-systemd-helper deletes every directory of /etc/systemd/system that is empty at that moment.
 */
export const kubeletTask = defineTask({
  name: 'kubernetes/kubelet',
  description: 'Set up the unit of the kubelet.',
  tags: ['kubernetes', 'kubelet'],
  steps: [kubernetesDirectory, kubeletUnitFile, kubeletDropIn, kubeletEnabled],
  isRequired: ({ cluster }) => kubeadm.isUsed(cluster),
  plan: (context) => {
    const nodes = targetNodes(context);
    const directory = KUBERNETES.dropIn.replace(/\/[^/]*$/, '');
    const { cluster } = context;
    const effects = componentsOf(cluster).flatMap((component) => component.effects?.(cluster) ?? []);
    const enabled = (roles: readonly string[]) => kubeletEnabled({ places: nodePlaces(context, { roles }), effects });
    const [onMaster, onWorker] = [enabled(['master']), enabled([])];
    return sequence(
      parallel(
        on(nodes, kubeletUnitFile({ runtime: runtimeOf(cluster).unit })),
        sequence(
          on(nodes, kubernetesDirectory({ path: directory }), { name: 'directory-drop-in' }),
          on(nodes, kubeletDropIn({})),
        ),
      ),
      on(nodes, (host) => (host.roles.includes('master') ? onMaster : onWorker)),
    );
  },
});
