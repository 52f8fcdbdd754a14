import { defineModule } from '../plan/layers.ts';
import { corednsTask } from '../task/dns/coredns.ts';

/** Names in the cluster. */
export const dnsModule = defineModule({
  name: 'dns',
  description: 'Names in the cluster.',
  tasks: [corednsTask],
  plan: (context) => ({ fragment: corednsTask.use(context).fragment, outputs: undefined }),
});
