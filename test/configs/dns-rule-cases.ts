import { bad, type Case, plus } from './cases.ts';

const coredns = (text: string): string => plus(`dns:\n  coredns:\n${text.replace(/^(?=.)/gm, '    ')}\n`);
const block = (field: string, lines: string): string => coredns(`${field}: |\n${lines.replace(/^(?=.)/gm, '  ')}`);
const zone = (...names: readonly string[]): string =>
  coredns(`externalZones:\n  - {zones: [${names.map((name) => `"${name}"`).join(', ')}], nameservers: [10.0.0.53]}`);
const server = (name: string): string => coredns(`externalZones:\n  - {zones: [example.io], nameservers: ["${name}"]}`);

/** The configuration of CoreDNS. */
export const dnsRuleCases: readonly Case[] = [
  bad(
    'KX2781',
    'a block that stays open',
    block('additionalConfigs', 'log . {\n  class error\n'),
    undefined,
    'log . {',
  ),
  bad('KX2781', 'a block that was never opened', block('additionalConfigs', 'log\n}\n')),
  bad('KX2781', 'a brace in a line', block('additionalConfigs', 'log { class error }\n')),
  bad('KX2781', 'a quote that stays open', block('additionalConfigs', 'chaos "CoreDNS\n')),
  bad('KX2781', 'a rewrite that stays open', block('rewriteBlock', 'rewrite stop {\n  name regex (.*) a\n')),
  bad('KX2782', 'a plugin with a slip', block('additionalConfigs', 'logs\n'), undefined, 'logs', 'log'),
  bad('KX2782', 'prose', block('additionalConfigs', 'please be quick\n'), undefined, 'please'),
  ...['cache 60', 'loop', 'ready', 'kubernetes other.local', 'reload 5s'].map((line) =>
    bad('KX2783', `${line} twice`, block('additionalConfigs', `${line}\n`), undefined, line.split(' ')[0] ?? ''),
  ),
  bad(
    'KX2783',
    'hosts twice',
    plus('dns:\n  dnsEtcHosts: 10.0.0.1 a.example.com\n  coredns: {additionalConfigs: "hosts"}\n'),
  ),
  bad('KX2784', 'no rewrite', block('rewriteBlock', 'forward . 1.1.1.1\n'), undefined, 'forward . 1.1.1.1'),
  bad('KX2784', 'half a rewrite', block('rewriteBlock', 'rewrite name a.example.com\n')),
  bad('KX2784', 'a rewrite of nothing', block('additionalConfigs', 'rewrite everything a b\n')),
  bad(
    'KX2784',
    'a rewrite of a zone',
    coredns('externalZones:\n  - {zones: [example.io], nameservers: [10.0.0.53], rewrite: ["rewrite name a b"]}'),
    '"rewrite name a b"',
  ),
  ...['a b', 'exa mple.io', '-x.io', 'example.io:99999', 'https://example.io', 'a..b', '{'].map((name) =>
    bad('KX2785', `the zone ${name}`, zone(name), `"${name}"`, 'example.io'),
  ),
  ...['.', '.:53', 'cluster.local', 'svc.cluster.local', 'CLUSTER.local.', 'in-addr.arpa', 'ip6.arpa'].map((name) =>
    bad('KX2786', `the zone ${name}`, zone(name), `"${name}"`),
  ),
  bad('KX2787', 'a zone twice', zone('example.io', 'Example.io.:53'), '"Example.io.:53"'),
  bad(
    'KX2787',
    'a zone in two entries',
    coredns(
      'externalZones:\n  - {zones: [a.io], nameservers: [10.0.0.53]}\n  - {zones: [a.io], nameservers: [10.0.0.54]}',
    ),
    'a.io',
  ),
  bad(
    'KX2787',
    'a zone of the cache twice',
    plus('dns:\n  nodelocaldns:\n    externalZones: [{zones: [a.io, a.io], nameservers: [10.0.0.53]}]\n'),
  ),
  ...['127.0.0.1', '127.0.0.53', '10.233.0.3', '10.233.64.9', '169.254.20.10', '127.0.0.1:1053'].map((address) =>
    bad('KX2788', `the server ${address} of a zone`, server(address), `"${address}"`),
  ),
  ...['127.0.0.53', '10.233.0.10', '"::1"'].map((address) =>
    bad('KX2788', `the upstream server ${address}`, coredns(`upstreamDNSServers: [${address}]`), address),
  ),
  bad('KX2789', 'the name of a server', server('dns.example.com'), '"dns.example.com"'),
];
