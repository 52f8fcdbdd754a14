import { COREDNS_PLUGINS, isRewriteRule, parseDirectives } from '../../model/cluster/corefile.ts';
import { addressKind, contains, formatCidr, type Ip, parseCidr, parseIp } from '../../model/cluster/ip.ts';
import { isDomain } from '../../model/cluster/names.ts';
import { nearest } from '../../model/cluster/nearest.ts';
import type { Path } from '../tree.ts';
import { type Rule, type RuleContext, rule } from './rule.ts';

const COREDNS: Path = ['spec', 'dns', 'coredns'];
const EXAMPLE = 'rewrite name exact api.example.org kubernetes.default.svc.cluster.local';

/** Plugins that kubexm writes, and that CoreDNS refuses when they are there twice. */
const ONCE = ['cache', 'health', 'kubernetes', 'loop', 'ready', 'reload'];

const additional = rule([], ({ cluster, report }) => {
  const field = 'coredns.additionalConfigs';
  const path = [...COREDNS, 'additionalConfigs'];
  const { coredns, dnsEtcHosts } = cluster.spec.dns;
  const { directives, wrong } = parseDirectives(coredns.additionalConfigs);
  if (wrong !== undefined) report('KX2781', { field, text: wrong }, path);
  const once = dnsEtcHosts.trim() === '' ? ONCE : [...ONCE, 'hosts'];
  for (const { words, text } of directives) {
    const [plugin = ''] = words;
    if (once.includes(plugin)) report('KX2783', { field, plugin }, path);
    else if (!COREDNS_PLUGINS.includes(plugin)) {
      report('KX2782', { field, plugin, nearby: nearest(plugin, COREDNS_PLUGINS) ?? '-' }, path);
    } else if (plugin === 'rewrite' && !isRewriteRule(words.slice(1))) {
      report('KX2784', { field, text, example: EXAMPLE }, path);
    }
  }
});

const rewrites = rule([], ({ cluster, report }) => {
  const field = 'coredns.rewriteBlock';
  const path = [...COREDNS, 'rewriteBlock'];
  const { directives, wrong } = parseDirectives(cluster.spec.dns.coredns.rewriteBlock);
  if (wrong !== undefined) report('KX2781', { field, text: wrong }, path);
  for (const { words, text } of directives) {
    if (words[0] === 'rewrite' && isRewriteRule(words.slice(1))) continue;
    report('KX2784', { field, text, example: EXAMPLE }, path);
  }
});

const zones = rule(
  ['spec.kubernetes.clusterName', 'spec.network.kubePodsCIDR', 'spec.network.kubeServiceCIDR'],
  (context) => {
    for (const owner of ['coredns', 'nodelocaldns'] as const) {
      const field = `${owner}.externalZones`;
      const seen = new Map<string, Path>();
      context.cluster.spec.dns[owner].externalZones.forEach((entry, i) => {
        const path: Path = ['spec', 'dns', owner, 'externalZones', i];
        entry.zones.forEach((zone, z) => {
          checkZone(context, { field, zone, path: [...path, 'zones', z] }, seen);
        });
        entry.nameservers.forEach((server, n) => {
          // The cache asks CoreDNS anyway, and a name that is rewritten is another question.
          const mayAskCluster = owner === 'nodelocaldns' || entry.rewrite.length > 0;
          checkServer(context, { field, server, path: [...path, 'nameservers', n], mayAskCluster });
        });
        entry.rewrite.forEach((text, r) => {
          const { directives, wrong } = parseDirectives(text);
          if (wrong === undefined && directives.every(({ words }) => isRewriteRule(words))) return;
          context.report('KX2784', { field, text, example: EXAMPLE.replace('rewrite ', '') }, [...path, 'rewrite', r]);
        });
      });
    }
  },
);

function checkZone(
  { cluster, report }: RuleContext,
  { field, zone, path }: { readonly field: string; readonly zone: string; readonly path: Path },
  seen: Map<string, Path>,
): void {
  const [, name = '', port = '53'] = /^(.*?)(?::(\d{1,5}))?$/.exec(zone.toLowerCase()) ?? [];
  const bare = name.replace(/\.$/, '');
  const domain = cluster.spec.kubernetes.clusterName;
  const cidr = parseCidr(bare);
  // Labels of zones may begin with an underscore, as those of Active Directory do.
  const valid = cidr !== undefined || isDomain(bare.replaceAll('_', 'x'));
  const within = bare === domain || bare.endsWith(`.${domain}`);
  if (zone === '.' || name === '.' || (valid && (within || bare === 'in-addr.arpa' || bare === 'ip6.arpa'))) {
    report('KX2786', { field, zone }, path);
  } else if (!valid || Number(port) < 1 || Number(port) > 65_535) report('KX2785', { field, zone }, path);
  else {
    const key = `${cidr === undefined ? bare : formatCidr(cidr)}:${Number(port)}`;
    const other = seen.get(key);
    if (other === undefined) seen.set(key, path);
    else report('KX2787', { field, zone }, path, other);
  }
}

interface Server {
  readonly field: string;
  readonly server: string;
  readonly path: Path;
  readonly mayAskCluster: boolean;
}

function checkServer({ cluster, report }: RuleContext, { field, server, path, mayAskCluster }: Server): void {
  const ip = parseIp(server) ?? parseIp(server.replace(/:\d{1,5}$/, ''));
  if (ip === undefined) report('KX2789', { field, server }, path);
  else if (addressKind(ip) !== 'usable' || (!mayAskCluster && isOfCluster(cluster.spec.network, ip))) {
    report('KX2788', { field, server }, path);
  }
}

function isOfCluster({ kubePodsCIDR, kubeServiceCIDR }: RuleContext['cluster']['spec']['network'], ip: Ip): boolean {
  return [...kubePodsCIDR.list, ...kubeServiceCIDR.list].some((text) => {
    const cidr = parseCidr(text);
    return cidr !== undefined && contains(cidr, ip);
  });
}

const upstream = rule(['spec.network.kubePodsCIDR', 'spec.network.kubeServiceCIDR'], (context) => {
  context.cluster.spec.dns.coredns.upstreamDNSServers.forEach((server, i) => {
    const path = [...COREDNS, 'upstreamDNSServers', i];
    checkServer(context, { field: 'coredns.upstreamDNSServers', server, path, mayAskCluster: false });
  });
});

/** Rules over CoreDNS. */
export const dnsRules: readonly Rule[] = [additional, rewrites, zones, upstream];
