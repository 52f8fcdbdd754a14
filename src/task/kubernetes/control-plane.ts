import { kubeadm } from '../../component/kubernetes.ts';
import { on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { controlPlanePatch, KUBERNETES, kubernetesDirectory } from '../../step/kubeadm/index.ts';
import { staticPods, targetMasters } from '../nodes.ts';

/** What the static pods of every master have that kubeadm would not give them. */
export const controlPlaneTask = defineTask({
  name: 'kubernetes/control-plane',
  description: 'Patches for the static pods of the masters, which kubeadm reads.',
  tags: ['kubernetes', 'control-plane'],
  steps: [kubernetesDirectory, controlPlanePatch],
  isRequired: ({ cluster }) => kubeadm.isUsed(cluster),
  plan: (context) => {
    const masters = targetMasters(context);
    return sequence(
      on(masters, kubernetesDirectory({ path: '/etc/kubernetes' })),
      on(masters, kubernetesDirectory({ path: KUBERNETES.patches }), { name: 'directory-patches' }),
      parallel(
        ...staticPods(context).map((component) =>
          on(masters, controlPlanePatch({ component }), { name: `patch-${component}` }),
        ),
      ),
    );
  },
});
