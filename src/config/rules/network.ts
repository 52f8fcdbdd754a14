import { isNode } from '../../model/cluster/cluster.ts';
import { type Cidr, contains, families, overlaps, parseCidr, parseIp } from '../../model/cluster/ip.ts';
import type { Path } from '../tree.ts';
import { familyNames } from './hosts.ts';
import { type Rule, rule } from './rule.ts';

const PODS: Path = ['spec', 'network', 'kubePodsCIDR'];
const SERVICES: Path = ['spec', 'network', 'kubeServiceCIDR'];
const pods = PODS.join('.');
const services = SERVICES.join('.');

const cidrs = (list: readonly string[]): readonly { text: string; cidr: Cidr }[] =>
  list.flatMap((text) => {
    const cidr = parseCidr(text);
    return cidr === undefined ? [] : [{ text, cidr }];
  });

const apart = rule([pods, services], ({ cluster, report }) => {
  const { kubePodsCIDR, kubeServiceCIDR } = cluster.spec.network;
  for (const one of cidrs(kubePodsCIDR.list)) {
    for (const other of cidrs(kubeServiceCIDR.list)) {
      if (!overlaps(one.cidr, other.cidr)) continue;
      report('KX2601', { pods: one.text, services: other.text }, PODS, SERVICES);
    }
  }
});

const withoutMachines = rule([], ({ cluster, report }) => {
  const { network, hosts, controlPlaneEndpoint } = cluster.spec;
  const machines = hosts.flatMap((host, i) =>
    [...new Set([...host.internal.list, host.address])].map((address) => ({
      owner: host.name,
      address,
      ip: parseIp(address),
      path: ['spec', 'hosts', i, host.internal.list.includes(address) ? 'internalAddress' : 'address'] as Path,
    })),
  );
  for (const address of controlPlaneEndpoint.address?.list ?? []) {
    const path: Path = ['spec', 'controlPlaneEndpoint', 'lb_address'];
    machines.push({ owner: controlPlaneEndpoint.domain, address, ip: parseIp(address), path });
  }
  for (const [path, value] of [
    [PODS, network.kubePodsCIDR],
    [SERVICES, network.kubeServiceCIDR],
  ] as const) {
    for (const { text, cidr } of cidrs(value.list)) {
      const inside = machines.find(({ ip }) => ip !== undefined && contains(cidr, ip));
      if (inside === undefined) continue;
      const field = String(path.at(-1));
      report('KX2602', { field, cidr: text, address: inside.address, owner: inside.owner }, path, inside.path);
    }
  }
});

const sameFamilies = rule([pods, services], ({ cluster, report }) => {
  const { kubePodsCIDR, kubeServiceCIDR } = cluster.spec.network;
  if (families(kubePodsCIDR) === families(kubeServiceCIDR)) return;
  report('KX2603', { pods: familyNames(kubePodsCIDR), services: familyNames(kubeServiceCIDR) }, SERVICES, PODS);
});

const familiesOfHosts = rule([pods, 'spec.hosts', 'spec.roleGroups'], ({ cluster, report }) => {
  const { kubePodsCIDR } = cluster.spec.network;
  const node = cluster.spec.hosts.find((host) => isNode(host) && host.internal.list.length > 0);
  // Hosts may have more families than pods, never fewer; the first one is the primary of both.
  if (node === undefined || families(node.internal).startsWith(families(kubePodsCIDR))) return;
  report('KX2604', { pods: familyNames(kubePodsCIDR), hosts: familyNames(node.internal) }, PODS);
});

const masks = rule(
  [
    pods,
    'spec.kubernetes.nodeCidrMaskSize',
    'spec.kubernetes.nodeCidrMaskSizeIPv6',
    'spec.kubernetes.maxPods',
    'spec.roleGroups',
  ],
  ({ cluster, report }) => {
    const { kubernetes, network, hosts } = cluster.spec;
    const count = hosts.filter(isNode).length;
    for (const { text: cidr, cidr: net } of cidrs(network.kubePodsCIDR.list)) {
      const field = net.family === 4 ? 'nodeCidrMaskSize' : 'nodeCidrMaskSizeIPv6';
      const mask = kubernetes[field];
      const path: Path = ['spec', 'kubernetes', field];
      const widest = net.family === 4 ? 32 : 128;
      // The controller manager refuses more than 16 bits between the two.
      const max = Math.min(widest, net.prefix + 16);
      if (mask < net.prefix || mask > max) {
        report('KX2606', { field, mask, cidr, min: net.prefix, max }, path, PODS);
        continue;
      }
      const room = 2 ** (mask - net.prefix);
      if (count > room) report('KX2607', { cidr, room, count, field }, PODS, path);
      // Two addresses of each part are not for pods.
      const addresses = 2 ** (widest - mask) - 2;
      if (kubernetes.maxPods > addresses) {
        const shown = Math.max(0, addresses);
        report(
          'KX2608',
          { pods: kubernetes.maxPods, addresses: shown, field },
          ['spec', 'kubernetes', 'maxPods'],
          path,
        );
      }
    }
  },
);

const serviceSize = rule([services], ({ cluster, report }) => {
  for (const { text, cidr } of cidrs(cluster.spec.network.kubeServiceCIDR.list)) {
    const min = cidr.family === 4 ? 12 : 108;
    if (cidr.prefix < min) report('KX2611', { cidr: text, min: `/${min}` }, SERVICES);
  }
});

const calicoTunnels = rule(['spec.network.calico', 'spec.network.plugin'], ({ cluster, report }) => {
  const { calico } = cluster.spec.network;
  if (calico === undefined || calico.ipipMode === 'Never' || calico.vxlanMode === 'Never') return;
  const params = { ipip: calico.ipipMode, vxlan: calico.vxlanMode };
  report('KX2609', params, ['spec', 'network', 'calico', 'vxlanMode'], ['spec', 'network', 'calico', 'ipipMode']);
});

const flannelRouting = rule(['spec.network.flannel', 'spec.network.plugin'], ({ cluster, report }) => {
  const { flannel } = cluster.spec.network;
  if (flannel === undefined || !flannel.directRouting || flannel.backend === 'vxlan') return;
  const path: Path = ['spec', 'network', 'flannel'];
  report('KX2613', { backend: flannel.backend }, [...path, 'directRouting'], [...path, 'backend']);
});

const pluginSections = rule(['spec.network.plugin'], ({ cluster, isSet, report }) => {
  const { plugin } = cluster.spec.network;
  const owners = { calico: 'calico', flannel: 'flannel', cilium: 'cilium', ippool: 'calico' };
  for (const [section, owner] of Object.entries(owners)) {
    if (owner === plugin || !isSet(`spec.network.${section}`)) continue;
    const params = { section: `network.${section}`, field: 'network.plugin', value: plugin };
    report('KX2610', params, ['spec', 'network', section], ['spec', 'network', 'plugin']);
  }
});

const blocks = rule([pods, 'spec.network.ippool', 'spec.network.plugin'], ({ cluster, report }) => {
  const { network } = cluster.spec;
  const net = parseCidr(network.kubePodsCIDR.ipv4 ?? '');
  const size = network.ippool.blockSize;
  if (network.plugin !== 'calico' || net === undefined || size >= net.prefix) return;
  report('KX2612', { size, cidr: network.kubePodsCIDR.ipv4 ?? '' }, ['spec', 'network', 'ippool', 'blockSize'], PODS);
});

/** Rules over networks. */
export const networkRules: readonly Rule[] = [
  apart,
  withoutMachines,
  sameFamilies,
  familiesOfHosts,
  masks,
  serviceSize,
  calicoTunnels,
  flannelRouting,
  pluginSections,
  blocks,
];
