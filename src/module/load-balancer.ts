import { fixedFields } from '../component/index.ts';
import { parallel } from '../plan/combinators.ts';
import { defineModule, moduleOf } from '../plan/layers.ts';
import { externalBalancerTask } from '../task/load-balancer/external.ts';
import { internalBalancerTask } from '../task/load-balancer/internal.ts';
import { kubeVipTask } from '../task/load-balancer/kube-vip.ts';

/** Load balancers on hosts of their own: the cluster begins behind them. */
export const loadBalancerModule = moduleOf(
  'load-balancer',
  'A virtual IP and a proxy in front of the API servers, on hosts of their own.',
  externalBalancerTask,
);

/** Load balancers that the kubelet of a node runs, before it joins. */
export const localBalancerModule = defineModule({
  name: 'local-load-balancer',
  description: 'What nodes have to reach the API servers: a proxy on every worker, or kube-vip on the masters.',
  tasks: [internalBalancerTask, kubeVipTask],
  fixed: fixedFields('load-balancer'),
  plan: (context) => parallel(internalBalancerTask.use(context), kubeVipTask.use(context)),
});
