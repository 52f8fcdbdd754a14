import { sequence } from '../plan/combinators.ts';
import { defineModule } from '../plan/layers.ts';
import { controlPlaneTask } from '../task/kubernetes/control-plane.ts';
import { initKubernetesTask } from '../task/kubernetes/init.ts';
import { installKubernetesTask } from '../task/kubernetes/install.ts';
import { joinKubernetesTask } from '../task/kubernetes/join.ts';
import { kubeletTask } from '../task/kubernetes/kubelet.ts';
import { runKubeletsTask } from '../task/kubernetes/run.ts';

/** The configuration that this module acts on. */
export const kubernetesFields = [
  'spec.kubernetes.type=kubeadm',
  'spec.kubernetes.version',
  'spec.kubernetes.clusterName',
  'spec.kubernetes.apiserverCertExtraSans.**',
  'spec.kubernetes.masqueradeAll',
  'spec.kubernetes.maxPods',
  'spec.kubernetes.podPidsLimit',
  'spec.kubernetes.nodeCidrMaskSize',
  'spec.kubernetes.nodeCidrMaskSizeIPv6',
  'spec.kubernetes.proxyMode',
  'spec.kubernetes.featureGates.**',
  'spec.kubernetes.kubeletArgs.**',
  'spec.kubernetes.apiserverArgs.**',
  'spec.kubernetes.controllerManagerArgs.**',
  'spec.kubernetes.schedulerArgs.**',
  'spec.kubernetes.kubeletConfiguration.**',
  'spec.kubernetes.kubeProxyConfiguration.**',
  'spec.controlPlaneEndpoint.externalLoadBalancer=external',
  'spec.controlPlaneEndpoint.externalDNS',
  'spec.controlPlaneEndpoint.lb_address',
  'spec.controlPlaneEndpoint.domain',
  'spec.controlPlaneEndpoint.port',
  'spec.etcd.type=kubeadm',
  'spec.etcd.dataDir',
  'spec.network.kubePodsCIDR',
  'spec.network.kubeServiceCIDR',
];

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
  // kubeadm reads them once, in init and join. Programs of another version would be an upgrade of all nodes at once.
  fixed: kubernetesFields,
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
