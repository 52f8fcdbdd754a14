import { resourcesOf } from '../../artifacts/handles/index.ts';
import { binaryKubernetes } from '../../component/kubernetes.ts';
import { on } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { corednsOwn } from '../../step/coredns.ts';
import { corednsConfig } from '../../step/dns.ts';
import { DNS_ADDRESS, serviceAddresses } from '../binary/pki.ts';
import { allNodes, healthyMaster } from '../nodes.ts';

/** As many as kubeadm has. */
const REPLICAS = 2;

/** CoreDNS with the names and servers of this cluster. Where kubeadm has installed it, fields are set in it. */
export const corednsTask = defineTask({
  name: 'dns/coredns',
  description: 'Configure CoreDNS; without kubeadm, install it.',
  tags: ['dns', 'coredns'],
  steps: [corednsConfig, corednsOwn],
  plan: (context) => {
    const { cluster } = context;
    const { dns, kubernetes } = cluster.spec;
    const wanted = { dns, domain: kubernetes.clusterName, nodes: allNodes(context).length };
    if (!binaryKubernetes.isUsed(cluster)) return on(healthyMaster(context), corednsConfig(wanted));
    const own = corednsOwn({
      ...wanted,
      image: resourcesOf(context).reference('coredns'),
      addresses: serviceAddresses(cluster, DNS_ADDRESS),
      replicas: REPLICAS,
    });
    return on(healthyMaster(context), own);
  },
});
