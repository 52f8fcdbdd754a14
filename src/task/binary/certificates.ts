import { binaryKubernetes } from '../../component/kubernetes.ts';
import { defineTask } from '../../plan/layers.ts';
import {
  kubernetesAuthority,
  kubernetesClient,
  kubernetesKubeconfig,
  kubernetesServer,
  serviceAccountKeys,
} from '../../step/binary/certificates.ts';
import { secretsOf } from './pki.ts';

/** All certificates, keys and kubeconfigs, on the machine kubexm runs on. No host is needed for them. */
export const certificatesTask = defineTask({
  name: 'kubernetes/certificates',
  description: 'Make the CAs, certificates, keys and kubeconfigs of the cluster.',
  tags: ['kubernetes', 'certificates'],
  steps: [kubernetesAuthority, serviceAccountKeys, kubernetesClient, kubernetesServer, kubernetesKubeconfig],
  isRequired: ({ cluster }) => binaryKubernetes.isUsed(cluster),
  plan: (context) => secretsOf(context).made,
});
