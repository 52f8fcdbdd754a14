import type { JsonObject } from '../../model/json.ts';
import { dedicated } from '../../plan/step.ts';
import { kubeObjects } from '../generic/index.ts';
import { KUBELET_CLIENT } from './flags.ts';
import { kubeconfigOf } from './places.ts';

/** The group of the cluster's administrators. Unlike `system:masters` it can be taken its rights. */
export const ADMINISTRATORS = 'kubexm:cluster-admins';

const NODES = 'system:nodes';

/**
 * What API servers do not give by themselves. kube-proxy, the controller manager and the scheduler have their roles by their
 * names. Applied as a member of `system:masters`, who may do everything from the beginning.
 */
export const accessRules = dedicated(
  'access',
  kubeObjects,
  'Rights of administrators, of API servers at kubelets, and of kubelets to renew their certificates.',
  (_: object) =>
    kubeObjects({
      name: 'rights',
      objects: [
        binding(ADMINISTRATORS, 'cluster-admin', 'Group', ADMINISTRATORS),
        binding('kubexm:kubelet-api', 'system:kubelet-api-admin', 'User', KUBELET_CLIENT),
        // The controller manager approves what a kubelet asks for itself.
        binding(
          'kubexm:renew-kubelet-certificates',
          'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
          'Group',
          NODES,
        ),
      ],
      kubeconfig: kubeconfigOf('super-admin'),
    }),
);

function binding(name: string, role: string, kind: 'Group' | 'User', subject: string): JsonObject {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup, kind, name: subject }],
  };
}
