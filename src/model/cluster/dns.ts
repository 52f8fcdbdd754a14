import { z } from 'zod';
import { block, int, line, list, refuse, section } from './field.ts';
import { parseHostsText } from './hosts-text.ts';
import { ipAddress, server } from './text.ts';

const hostsLines = () =>
  block().check((payload) => {
    for (const value of parseHostsText(payload.value).wrong) refuse(payload, 'KX2328', { value });
  });

const zones = () =>
  list(
    z.strictObject({
      zones: z.array(line()).min(1).describe('Zones, optionally with a port: example.io:1053.'),
      nameservers: z.array(server()).min(1).describe('Servers to ask.'),
      cache: int(0, 86_400).default(30).describe('Seconds that answers are kept.'),
      rewrite: list(line()).describe('Rewrite rules.'),
    }),
  ).describe('Zones that other servers answer for.');

/** `spec.dns`. */
export const dnsSchema = section({
  dnsEtcHosts: hostsLines().default('').describe('Lines in the form of /etc/hosts that CoreDNS answers from.'),
  coredns: section({
    additionalConfigs: block().default('').describe('More lines of the Corefile.'),
    externalZones: zones(),
    rewriteBlock: block().default('').describe('A rewrite block of the Corefile.'),
    upstreamDNSServers: list(ipAddress()).describe(
      'Servers for names outside the cluster. Default: those of the nodes.',
    ),
  }).describe('The DNS server of the cluster.'),
  nodelocaldns: section({
    enabled: z.boolean().default(false).describe('Run a DNS cache on every node.'),
    externalZones: zones(),
  }).describe('The DNS cache on every node.'),
}).describe('Names in the cluster.');
