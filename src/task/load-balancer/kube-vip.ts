import { resourcesOf } from '../../artifacts/handles/index.ts';
import { KUBE_VIP_METRICS_PORT, kubeVip } from '../../component/load-balancers.ts';
import { apiServerPort, loopbacksOf } from '../../model/cluster/places.ts';
import { on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import { member, type Wanted } from '../../plan/ref.ts';
import { KUBE_VIP_ADMIN, kubeVipAccess, kubeVipPod, kubeVipSettled } from '../../step/kube-vip.ts';
import { MANIFESTS } from '../../step/kubeadm/places.ts';
import { balancerDirectory } from '../../step/load-balancer/static-pod.ts';
import { configOf } from '../kubernetes/settings.ts';
import { firstMaster, targetMasters } from '../nodes.ts';
import { deviceOf } from './proxies.ts';

/** kube-vip on every master, before it begins or joins the cluster: its kubelet starts it with the control plane. */
export const kubeVipTask = defineTask({
  name: 'load-balancer/kube-vip',
  description: 'kube-vip on every master, as a static pod.',
  tags: ['load-balancer', 'kube-vip'],
  steps: [balancerDirectory, kubeVipAccess, kubeVipPod],
  isRequired: ({ cluster }) => kubeVip.isUsed(cluster),
  plan: (context) => {
    const masters = targetMasters(context);
    const first = firstMaster(context);
    const others = masters.filter(({ name }) => name !== first.name);
    const access = on(
      masters.filter(({ name }) => name === first.name),
      kubeVipAccess({}),
    );
    const begins =
      access.nodes.size === 0
        ? access
        : sequence(access, on(first, podOn(context, first, member(access.ref(), 'stdout')), { name: 'pod-first' }));
    return sequence(
      on(masters, balancerDirectory({ path: MANIFESTS })),
      parallel(
        begins,
        on(others, (host) => podOn(context, host, KUBE_VIP_ADMIN)),
      ),
    );
  },
});

/** Once the cluster has begun, the usual administrator may do what kube-vip needs. */
export const kubeVipAdminTask = defineTask({
  name: 'load-balancer/kube-vip-admin',
  description: 'kube-vip on the first master with the same kubeconfig as on the others.',
  tags: ['load-balancer', 'kube-vip'],
  steps: [kubeVipPod, kubeVipSettled],
  isRequired: (context) => kubeVip.isUsed(context.cluster) && targetMasters(context).includes(firstMaster(context)),
  plan: (context) => {
    const first = firstMaster(context);
    return sequence(on(first, podOn(context, first, KUBE_VIP_ADMIN)), on(first, kubeVipSettled({})));
  },
});

function podOn(context: PlanContext, host: PlanHost, kubeconfig: Wanted<string>) {
  const { cluster } = context;
  const config = configOf(context, host);
  return kubeVipPod({
    image: resourcesOf(context).reference(kubeVip.name),
    addresses: cluster.spec.controlPlaneEndpoint.address?.list ?? [],
    port: apiServerPort(cluster),
    device: deviceOf(context, host, config),
    loopback: loopbacksOf(config.internal)[0] ?? '127.0.0.1',
    kubeconfig,
    metricsPort: KUBE_VIP_METRICS_PORT,
  });
}
