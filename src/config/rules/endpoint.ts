import { addressKind, parseIp } from '../../model/cluster/ip.ts';
import { apiServerPort } from '../../model/cluster/places.ts';
import { portOwner } from '../../model/cluster/reserved-ports.ts';
import type { Path } from '../tree.ts';
import { type Rule, type RuleContext, rule } from './rule.ts';

const at = (key: string): Path => ['spec', 'controlPlaneEndpoint', key];
const EXTERNAL = 'spec.controlPlaneEndpoint.externalLoadBalancer';
const INTERNAL = 'spec.controlPlaneEndpoint.internalLoadbalancer';
const ADDRESS = 'spec.controlPlaneEndpoint.lb_address';
const DNS = 'spec.controlPlaneEndpoint.externalDNS';
const BALANCERS = 'spec.roleGroups.loadbalancer';
const MASTERS = 'spec.roleGroups.master';

const endpointOf = ({ cluster }: RuleContext) => cluster.spec.controlPlaneEndpoint;
const ownBalancer = (context: RuleContext): boolean => endpointOf(context).externalLoadBalancer.startsWith('kubexm');

/** What holds a virtual IP itself, if anything does. */
function virtualIpHolder(context: RuleContext): { mode: string; key: string } | undefined {
  const { internalLoadbalancer } = endpointOf(context);
  if (ownBalancer(context)) return { mode: 'kubexm', key: 'externalLoadBalancer' };
  return internalLoadbalancer === 'kube-vip' ? { mode: internalLoadbalancer, key: 'internalLoadbalancer' } : undefined;
}

const balancerHosts = rule([EXTERNAL, BALANCERS, 'spec.hosts.*.roles'], (context) => {
  const { cluster, document, report } = context;
  const { loadbalancer } = cluster.spec.roleGroups;
  const mode = document.spec.controlPlaneEndpoint.externalLoadBalancer;
  if (ownBalancer(context)) {
    if (loadbalancer.length === 0) report('KX2501', { mode: 'kubexm' }, at('externalLoadBalancer'));
    else if (loadbalancer.length === 1) report('KX2911', {}, ['spec', 'roleGroups', 'loadbalancer']);
  } else if (loadbalancer.length > 0) report('KX2502', { mode }, ['spec', 'roleGroups', 'loadbalancer']);
});

const notBoth = rule([], ({ isSet, report }) => {
  if (isSet(EXTERNAL) && isSet(INTERNAL)) report('KX2509', {}, at('internalLoadbalancer'), at('externalLoadBalancer'));
});

const someBalancer = rule([EXTERNAL, INTERNAL, MASTERS, 'spec.hosts.*.roles'], (context) => {
  const { externalLoadBalancer, internalLoadbalancer } = endpointOf(context);
  const count = context.cluster.spec.roleGroups.master.length;
  if (count > 1 && externalLoadBalancer === 'none' && internalLoadbalancer === 'none') {
    context.report('KX2504', { count }, ['spec', 'controlPlaneEndpoint']);
  }
});

const virtualIp = rule([EXTERNAL, ADDRESS, DNS], (context) => {
  const { address, externalDNS, externalLoadBalancer } = endpointOf(context);
  const holder = virtualIpHolder(context);
  if (holder !== undefined) {
    if (externalDNS) context.report('KX2508', { mode: holder.mode }, at('externalDNS'), at(holder.key));
    else if (address === undefined) context.report('KX2505', { mode: holder.mode }, at('lb_address'));
  } else if (externalLoadBalancer === 'external' && address === undefined && !externalDNS) {
    context.report('KX2506', {}, at('lb_address'));
  }
});

const dnsOrAddress = rule([ADDRESS, DNS], (context) => {
  const { address, externalDNS, domain } = endpointOf(context);
  if (externalDNS && address !== undefined && virtualIpHolder(context) === undefined) {
    context.report('KX2507', { domain }, at('lb_address'), at('externalDNS'));
  }
});

const usedAddress = rule([EXTERNAL, INTERNAL, ADDRESS], (context) => {
  const { address, externalLoadBalancer, internalLoadbalancer: mode } = endpointOf(context);
  if (address === undefined || externalLoadBalancer !== 'none' || mode === 'kube-vip') return;
  const shown = address.list.join(',');
  if (mode === 'none') context.report('KX2522', { address: shown }, at('lb_address'));
  else context.report('KX2510', { address: shown, mode }, at('lb_address'));
});

const reachableAddress = rule([ADDRESS], (context) => {
  const address = endpointOf(context).address?.list.find((text) => {
    const ip = parseIp(text);
    return ip !== undefined && addressKind(ip) === 'loopback';
  });
  if (address !== undefined) context.report('KX2523', { address }, at('lb_address'));
});

const freePort = rule(
  [EXTERNAL, BALANCERS, MASTERS, 'spec.controlPlaneEndpoint.port', 'spec.hosts', 'spec.kubernetes.apiserverArgs'],
  (context) => {
    const { port } = endpointOf(context);
    const owner = portOwner(context.cluster, port);
    if (owner !== undefined) context.report('KX2521', { port, owner }, at('port'));
  },
);

const freeAddress = rule([EXTERNAL, ADDRESS], (context) => {
  const { address, externalLoadBalancer } = endpointOf(context);
  if (virtualIpHolder(context) === undefined && externalLoadBalancer !== 'external') return;
  for (const [i, host] of context.cluster.spec.hosts.entries()) {
    const taken = address?.list.find((one) => one === host.address || host.internal.list.includes(one));
    if (taken === undefined) continue;
    context.report('KX2511', { address: taken, host: host.name }, at('lb_address'), ['spec', 'hosts', i, 'name']);
    return;
  }
});

const addressFamily = rule([EXTERNAL, INTERNAL, ADDRESS, 'spec.hosts.*.internalAddress'], (context) => {
  const { address } = endpointOf(context);
  const nodes = context.cluster.spec.hosts.filter((host) => host.internal.list.length > 0);
  const used = virtualIpHolder(context) !== undefined || endpointOf(context).externalLoadBalancer === 'external';
  if (!used || nodes.length === 0) return;
  for (const family of ['ipv4', 'ipv6'] as const) {
    const value = address?.[family];
    if (value === undefined || nodes.some((host) => host.internal[family] !== undefined)) continue;
    context.report('KX2514', { address: value }, at('lb_address'));
  }
});

const separatePorts = rule([EXTERNAL, BALANCERS, MASTERS, 'spec.controlPlaneEndpoint.port'], (context) => {
  const { cluster, report } = context;
  const { port } = endpointOf(context);
  if (!ownBalancer(context) || port !== apiServerPort(cluster)) return;
  const host = cluster.spec.roleGroups.loadbalancer.find((name) => cluster.spec.roleGroups.master.includes(name));
  if (host !== undefined) report('KX2512', { host, port }, ['spec', 'roleGroups', 'loadbalancer'], at('port'));
});

/** Rules over the way to the control plane. */
export const endpointRules: readonly Rule[] = [
  balancerHosts,
  notBoth,
  someBalancer,
  virtualIp,
  dnsOrAddress,
  usedAddress,
  reachableAddress,
  freePort,
  freeAddress,
  addressFamily,
  separatePorts,
];
