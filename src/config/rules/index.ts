import { componentConfigRules } from './component-config.ts';
import { componentRules } from './components.ts';
import { directoryRules } from './directories.ts';
import { dnsRules } from './dns.ts';
import { endpointRules } from './endpoint.ts';
import { etcdRules } from './etcd.ts';
import { featureGateRules } from './feature-gates.ts';
import { flagRules } from './flags.ts';
import { hostRules } from './hosts.ts';
import { kubernetesRules } from './kubernetes.ts';
import { nameRules } from './names.ts';
import { networkRules } from './network.ts';
import { pkiRules } from './pki.ts';
import type { Rule } from './rule.ts';
import { secretRules } from './secrets.ts';
import { specialNetworkRules } from './special-networks.ts';

/** Every rule over several fields. */
export const allRules: readonly Rule[] = [
  ...hostRules,
  ...nameRules,
  ...endpointRules,
  ...networkRules,
  ...specialNetworkRules,
  ...kubernetesRules,
  ...featureGateRules,
  ...flagRules,
  ...componentConfigRules,
  ...dnsRules,
  ...etcdRules,
  ...pkiRules,
  ...componentRules,
  ...directoryRules,
  ...secretRules,
];
