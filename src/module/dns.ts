import { moduleOf } from '../plan/layers.ts';
import { corednsTask } from '../task/dns/coredns.ts';

/** Names in the cluster. */
export const dnsModule = moduleOf('dns', 'Names in the cluster.', corednsTask);
