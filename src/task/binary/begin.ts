import { binaryKubernetes } from '../../component/kubernetes.ts';
import { marked, on, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { accessRules } from '../../step/binary/rbac.ts';
import { register } from '../../step/binary/register.ts';
import { apiServerReady, programService } from '../../step/binary/services.ts';
import { firstMaster, targetMasters } from '../nodes.ts';
import { controlPlaneOn, registerOn } from './control-plane.ts';

/** The first control plane: the only point that all other nodes wait for. */
export const beginTask = defineTask({
  name: 'kubernetes/begin',
  description: 'Begin the cluster: the control plane of the first master, and who may do what.',
  tags: ['kubernetes', 'init'],
  steps: [programService, apiServerReady, accessRules, register],
  isRequired: (context) =>
    binaryKubernetes.isUsed(context.cluster) && targetMasters(context).includes(firstMaster(context)),
  plan: (context) => {
    const first = firstMaster(context);
    return sequence(
      controlPlaneOn(context, [first]),
      on(first, accessRules({})),
      // Services start again with other files; this is done once in the life of a cluster.
      marked('cluster-begun', registerOn(context, [first], first)),
    );
  },
});
