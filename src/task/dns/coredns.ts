import { on } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { setFields } from '../../step/cluster.ts';
import { corednsObjects } from '../../step/dns.ts';
import { firstMaster } from '../nodes.ts';

/** CoreDNS, which kubeadm has installed, with the names and servers of this cluster. It reads them anew by itself. */
export const corednsTask = defineTask({
  name: 'dns/coredns',
  description: 'Configure CoreDNS.',
  tags: ['dns', 'coredns'],
  steps: [setFields],
  plan: (context) => {
    const { dns, kubernetes } = context.cluster.spec;
    const objects = corednsObjects(dns, kubernetes.clusterName);
    return { fragment: on(firstMaster(context), setFields({ name: 'CoreDNS', objects })), outputs: undefined };
  },
});
