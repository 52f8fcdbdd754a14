import { fixedFields } from '../component/index.ts';
import { sequence } from '../plan/combinators.ts';
import { defineModule, moduleOf } from '../plan/layers.ts';
import { controlPlaneTask } from '../task/kubernetes/control-plane.ts';
import { initKubernetesTask } from '../task/kubernetes/init.ts';
import { installKubernetesTask } from '../task/kubernetes/install.ts';
import { joinKubernetesTask } from '../task/kubernetes/join.ts';
import { kubeletTask } from '../task/kubernetes/kubelet.ts';
import { runKubeletsTask } from '../task/kubernetes/run.ts';
import { kubeVipAdminTask } from '../task/load-balancer/kube-vip.ts';

/** The programs of Kubernetes on every node; they need no runtime. */
export const kubernetesProgramsModule = moduleOf(
  'kubernetes-programs',
  'kubeadm, kubelet and kubectl on every node.',
  installKubernetesTask,
);

/** What kubeadm finds on every node. It needs no images yet. */
export const kubeletModule = defineModule({
  name: 'kubelet',
  description: 'The unit of the kubelet, and what kubeadm is to make of the masters.',
  tasks: [kubeletTask, controlPlaneTask],
  plan: (context) => sequence(kubeletTask.use(context), controlPlaneTask.use(context)),
});

/** The first master begins: from then on there is a cluster, whatever becomes of the other nodes. */
export const kubernetesInitModule = defineModule({
  name: 'kubernetes-init',
  description: 'Kubernetes by kubeadm, on the first master.',
  tasks: [initKubernetesTask, kubeVipAdminTask],
  fixed: fixedFields('kubernetes'),
  plan: (context) => sequence(initKubernetesTask.use(context), kubeVipAdminTask.use(context)),
});

/** The other nodes join as soon as each is ready. */
export const kubernetesModule = defineModule({
  name: 'kubernetes',
  description: 'Kubernetes by kubeadm, on all other masters and workers.',
  tasks: [joinKubernetesTask, runKubeletsTask],
  plan: (context) => sequence(joinKubernetesTask.use(context), runKubeletsTask.use(context)),
});
