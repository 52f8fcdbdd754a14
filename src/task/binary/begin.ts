import { binaryKubernetes } from '../../component/kubernetes.ts';
import { marked, on, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { accessRules } from '../../step/binary/rbac.ts';
import { apiServerReady, programService } from '../../step/binary/services.ts';
import { firstMaster, targetMasters } from '../nodes.ts';
import { controlPlaneOn } from './control-plane.ts';

/** The first control plane: the only point that all other nodes wait for. */
export const beginTask = defineTask({
  name: 'kubernetes/begin',
  description: 'Begin the cluster: the control plane of the first master, and who may do what.',
  tags: ['kubernetes', 'init'],
  steps: [programService, apiServerReady, accessRules],
  isRequired: (context) =>
    binaryKubernetes.isUsed(context.cluster) && targetMasters(context).includes(firstMaster(context)),
  plan: (context) => {
    const first = firstMaster(context);
    return sequence(marked('cluster-begun', controlPlaneOn(context, [first])), on(first, accessRules({})));
  },
});
