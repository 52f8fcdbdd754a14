import { resourcesOf } from '../../artifacts/handles/index.ts';
import { barrier, on } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { dropImage, removeObjects } from '../../step/smoke/index.ts';
import { SMOKE } from '../../step/smoke/objects.ts';
import { allNodes, healthyMaster } from '../nodes.ts';

/** Nothing of the check is left: neither in the cluster nor on its nodes. */
export const removeTask = defineTask({
  name: 'smoke/remove',
  description: 'Remove everything of the check from the cluster and its nodes.',
  tags: ['smoke'],
  steps: [removeObjects, dropImage],
  plan: (context) => {
    const { type: runtime } = context.cluster.spec.kubernetes.containerRuntime;
    const reference = resourcesOf(context).reference(SMOKE.name);
    const objects = on(healthyMaster(context), removeObjects({}));
    return barrier('gone', 'present', objects, on(allNodes(context), dropImage({ runtime, reference })));
  },
});
