import { fixedFields } from '../component/index.ts';
import { sequence } from '../plan/combinators.ts';
import { defineModule } from '../plan/layers.ts';
import { controlPlaneTask } from '../task/kubernetes/control-plane.ts';
import { initKubernetesTask } from '../task/kubernetes/init.ts';
import { installKubernetesTask } from '../task/kubernetes/install.ts';
import { joinKubernetesTask } from '../task/kubernetes/join.ts';
import { kubeletTask } from '../task/kubernetes/kubelet.ts';
import { runKubeletsTask } from '../task/kubernetes/run.ts';

/** The programs of Kubernetes on every node; they need no runtime. */
export const kubernetesProgramsModule = defineModule({
  name: 'kubernetes-programs',
  description: 'kubeadm, kubelet and kubectl on every node.',
  tasks: [installKubernetesTask],
  plan: (context) => ({ fragment: installKubernetesTask.use(context).fragment, outputs: undefined }),
});

/** What kubeadm finds on every node. It needs no images yet. */
export const kubeletModule = defineModule({
  name: 'kubelet',
  description: 'The unit of the kubelet, and what kubeadm is to make of the masters.',
  tasks: [kubeletTask, controlPlaneTask],
  plan: (context) => ({
    fragment: sequence(kubeletTask.use(context).fragment, controlPlaneTask.use(context).fragment),
    outputs: undefined,
  }),
});

/** The first master begins: from then on there is a cluster, whatever becomes of the other nodes. */
export const kubernetesInitModule = defineModule({
  name: 'kubernetes-init',
  description: 'Kubernetes by kubeadm, on the first master.',
  tasks: [initKubernetesTask],
  fixed: fixedFields('kubernetes', 'etcd'),
  plan: (context) => ({ fragment: initKubernetesTask.use(context).fragment, outputs: undefined }),
});

/** The other nodes join as soon as each is ready. */
export const kubernetesModule = defineModule({
  name: 'kubernetes',
  description: 'Kubernetes by kubeadm, on all other masters and workers.',
  tasks: [joinKubernetesTask, runKubeletsTask],
  plan: (context) => ({
    fragment: sequence(joinKubernetesTask.use(context).fragment, runKubeletsTask.use(context).fragment),
    outputs: undefined,
  }),
});
