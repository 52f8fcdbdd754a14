import { componentRules } from './components.ts';
import { endpointRules } from './endpoint.ts';
import { etcdRules } from './etcd.ts';
import { featureGateRules } from './feature-gates.ts';
import { hostRules } from './hosts.ts';
import { kubernetesRules } from './kubernetes.ts';
import { networkRules } from './network.ts';
import { pkiRules } from './pki.ts';
import type { Rule } from './rule.ts';
import { secretRules } from './secrets.ts';

/** Every rule over several fields. */
export const allRules: readonly Rule[] = [
  ...hostRules,
  ...endpointRules,
  ...networkRules,
  ...kubernetesRules,
  ...featureGateRules,
  ...etcdRules,
  ...pkiRules,
  ...componentRules,
  ...secretRules,
];
