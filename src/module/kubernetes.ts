import { fixedFields } from '../component/index.ts';
import { kubeadm } from '../component/kubernetes.ts';
import { nothing, parallel, sequence } from '../plan/combinators.ts';
import { defineModule } from '../plan/layers.ts';
import { beginTask } from '../task/binary/begin.ts';
import { certificatesTask } from '../task/binary/certificates.ts';
import { binaryNodesTask } from '../task/binary/nodes.ts';
import { binaryProgramsTask } from '../task/binary/programs.ts';
import { binaryServicesTask } from '../task/binary/services.ts';
import { apiServerKeysTask, apiServerTask } from '../task/kubernetes/api-server.ts';
import { controlPlaneTask } from '../task/kubernetes/control-plane.ts';
import { initKubernetesTask } from '../task/kubernetes/init.ts';
import { installKubernetesTask } from '../task/kubernetes/install.ts';
import { joinKubernetesTask } from '../task/kubernetes/join.ts';
import { kubeletTask } from '../task/kubernetes/kubelet.ts';
import { runKubeletsTask } from '../task/kubernetes/run.ts';
import { kubeVipAdminTask } from '../task/load-balancer/kube-vip.ts';

/** The programs of Kubernetes on every node; they need no runtime. */
export const kubernetesProgramsModule = defineModule({
  name: 'kubernetes-programs',
  description: 'kubelet and kubectl on every node, with kubeadm or with the programs of the control plane.',
  tasks: [installKubernetesTask, binaryProgramsTask],
  plan: (context) => parallel(installKubernetesTask.use(context), binaryProgramsTask.use(context)),
});

/** The certificates of a cluster without kubeadm, and other keys. They are made on this machine, which waits for no host. */
export const certificatesModule = defineModule({
  name: 'certificates',
  description: 'Certificates, keys and kubeconfigs of a cluster without kubeadm; the key of encryption at rest.',
  tasks: [certificatesTask, apiServerKeysTask],
  plan: (context) => parallel(certificatesTask.use(context), apiServerKeysTask.use(context)),
});

/** What kubeadm, or the programs themselves, find on every node. They need no images yet. */
export const kubeletModule = defineModule({
  name: 'kubelet',
  description: 'The unit of the kubelet; what kubeadm is to make of the masters, or what all programs read.',
  tasks: [kubeletTask, controlPlaneTask, binaryServicesTask, apiServerTask],
  plan: (context) =>
    sequence(
      parallel(sequence(kubeletTask.use(context), controlPlaneTask.use(context)), binaryServicesTask.use(context)),
      apiServerTask.use(context),
    ),
});

/** The first master begins: from then on there is a cluster, whatever becomes of the other nodes. */
export const kubernetesInitModule = defineModule({
  name: 'kubernetes-init',
  description: 'Kubernetes by kubeadm or from its programs, on the first master.',
  tasks: [initKubernetesTask, beginTask, kubeVipAdminTask],
  fixed: fixedFields('kubernetes'),
  plan: (context) =>
    sequence(
      initKubernetesTask.use(context),
      beginTask.use(context),
      kubeadm.isUsed(context.cluster) ? kubeVipAdminTask.use(context) : nothing(),
    ),
});

/** The other nodes join as soon as each is ready. */
export const kubernetesModule = defineModule({
  name: 'kubernetes',
  description: 'Kubernetes by kubeadm or from its programs, on all other masters and workers.',
  tasks: [joinKubernetesTask, runKubeletsTask, binaryNodesTask],
  plan: (context) =>
    sequence(
      joinKubernetesTask.use(context),
      runKubeletsTask.use(context),
      binaryNodesTask.use(context),
      // kube-vip needs the kubelet of the first master, which kubeadm starts earlier.
      kubeadm.isUsed(context.cluster) ? nothing() : kubeVipAdminTask.use(context),
    ),
});
