import { defineModule } from '../plan/layers.ts';
import { corednsTask } from '../task/dns/coredns.ts';

/** The configuration that this module acts on. */
export const dnsFields = ['spec.dns.dnsEtcHosts', 'spec.dns.coredns.**', 'spec.dns.nodelocaldns.enabled=false'];

/** Names in the cluster. */
export const dnsModule = defineModule({
  name: 'dns',
  description: 'Names in the cluster.',
  tasks: [corednsTask],
  plan: (context) => ({ fragment: corednsTask.use(context).fragment, outputs: undefined }),
});
