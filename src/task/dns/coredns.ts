import { on } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { corednsConfig } from '../../step/dns.ts';
import { allNodes, healthyMaster } from '../nodes.ts';

/** CoreDNS, which kubeadm has installed, with the names and servers of this cluster. */
export const corednsTask = defineTask({
  name: 'dns/coredns',
  description: 'Configure CoreDNS.',
  tags: ['dns', 'coredns'],
  steps: [corednsConfig],
  plan: (context) => {
    const { dns, kubernetes } = context.cluster.spec;
    const configured = corednsConfig({ dns, domain: kubernetes.clusterName, nodes: allNodes(context).length });
    return on(healthyMaster(context), configured);
  },
});
