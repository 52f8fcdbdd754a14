import { z } from 'zod';
import { alias, choice, line, port, section } from './field.ts';
import { addresses, domain } from './text.ts';

const external = choice(['', 'kubexm-kh', 'kubexm-kn', 'external'], { kubexm: 'kubexm-kh', none: '' });
const internal = choice(['', 'haproxy', 'nginx', 'kube-vip'], { none: '', kubevip: 'kube-vip' });

/** `spec.controlPlaneEndpoint`. */
export const controlPlaneEndpointSchema = section({
  externalLoadBalancer: alias(external.default(''), 'externalLoadbalancer').describe(
    'Load balancer outside the nodes: kubexm or kubexm-kh (keepalived and haproxy on the loadbalancer hosts), ' +
      'kubexm-kn (keepalived and nginx), external (one that exists), "" for none.',
  ),
  internalLoadbalancer: alias(internal.default(''), 'internalLoadBalancer', 'internalLoadblancer').describe(
    'Load balancer on the nodes: haproxy or nginx on every worker, kube-vip on the masters, "" for none.',
  ),
  externalDNS: z.boolean().default(false).describe('Your own DNS resolves the domain; then lb_address must be empty.'),
  domain: domain().default('lb.kubexm.local').describe('Name of the control plane, in certificates and kubeconfigs.'),
  lb_address: alias(addresses().optional(), 'lbAddress', 'address', 'vip').describe(
    'Virtual IP for kubexm and kube-vip, or the address of an external load balancer.',
  ),
  port: port()
    .default(6443)
    .describe(
      'Port of the control plane. API servers listen on it too; behind kubexm-kh and kubexm-kn they listen on 6443.',
    ),
  interface: line()
    .optional()
    .describe('Network interface that carries the virtual IP. Default: the one with the internal address.'),
}).describe('How the API servers are reached.');
