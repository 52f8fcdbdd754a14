import { z } from 'zod';
import { alias, choice, free, int, refuse, section } from './field.ts';
import { networks } from './text.ts';

const mode = () => choice(['Always', 'CrossSubnet', 'Never']);
/** IPv6 needs the first; no network of machines has more than the second, which leaves room for headers of switches. */
const MTU = { min: 1280, max: 9216 } as const;
const mtu = () =>
  int(0, 65_535)
    .check((payload) => {
      const { value } = payload;
      if (value !== 0 && value <= 65_535 && (value < MTU.min || value > MTU.max))
        refuse(payload, 'KX2623', { value, ...MTU });
    })
    .default(0)
    .describe(`MTU of pod interfaces, ${MTU.min} to ${MTU.max}; 0 finds it out.`);

/** Settings of each network plugin. */
export const pluginSchemas = {
  calico: z.strictObject({
    ipipMode: mode().default('Always').describe('IPIP tunnels; Never if vxlanMode is not Never.'),
    vxlanMode: mode().default('Never').describe('VXLAN tunnels; Never if ipipMode is not Never.'),
    vethMTU: mtu(),
  }),
  flannel: z.strictObject({
    backend: choice(['vxlan', 'host-gw', 'wireguard', 'udp'])
      .default('vxlan')
      .describe('How packets travel between nodes.'),
    directRouting: z
      .boolean()
      .default(false)
      .describe('Route without tunnel inside a subnet; only with the backend vxlan.'),
    mtu: mtu(),
  }),
  cilium: z.strictObject({ values: free().describe("Values of cilium's chart.") }),
};

/** `spec.network`. */
export const networkSchema = section({
  plugin: choice(['calico', 'flannel', 'cilium']).default('flannel').describe('The network plugin.'),
  calico: pluginSchemas.calico.optional().describe('Settings of calico.'),
  flannel: pluginSchemas.flannel.optional().describe('Settings of flannel.'),
  cilium: pluginSchemas.cilium.optional().describe('Settings of cilium.'),
  kubePodsCIDR: alias(networks().prefault('10.233.64.0/18'), 'podCidr', 'podCIDR', 'podSubnet', 'podsCIDR').describe(
    'Network of pods: one per family, "IPv4,IPv6".',
  ),
  kubeServiceCIDR: alias(
    networks().prefault('10.233.0.0/18'),
    'serviceCidr',
    'serviceCIDR',
    'serviceSubnet',
    'servicesCIDR',
  ).describe('Network of services: one per family, "IPv4,IPv6".'),
  ippool: section({
    blockSize: int(20, 32).default(26).describe('Size of the address blocks that calico gives to nodes.'),
  }).describe('The address pool of calico.'),
}).describe('The network of pods and services.');
