import type { Cluster } from '../model/cluster/index.ts';
import type { JsonObject } from '../model/json.ts';
import { dedicated } from '../plan/step.ts';
import { kubeObjects } from './generic/index.ts';
import { KUBERNETES } from './kubeadm/index.ts';

type Dns = Cluster['spec']['dns'];

/** The names and servers of a cluster. */
export interface Coredns {
  readonly dns: Dns;
  /** Under which Services have names: `cluster.local`. */
  readonly domain: string;
  /** How many nodes there will be to run it. */
  readonly nodes: number;
}

/** CoreDNS, which kubeadm has installed and owns too: fields are set in it. It reloads its configuration by itself. */
export const corednsConfig = dedicated(
  'fields',
  kubeObjects,
  'The configuration of CoreDNS: the domain, zones, upstream servers, rewrites and hosts of this cluster.',
  (params: Coredns) =>
    kubeObjects({
      name: 'CoreDNS',
      objects: corednsObjects(params),
      shared: true,
      kubeconfig: KUBERNETES.adminConf,
    }),
);

/** What kubeadm writes, with what the cluster's own adds to it. */
function corefile(dns: Dns, domain: string): string {
  const { coredns, dnsEtcHosts } = dns;
  const zones = coredns.externalZones.map((zone) =>
    block(zone.zones.map(withPort).join(' '), [
      'errors',
      ...zone.rewrite.map((rule) => `rewrite ${rule}`),
      `cache ${zone.cache}`,
      'loop',
      `forward . ${zone.nameservers.join(' ')}`,
      'reload',
    ]),
  );
  const upstream = coredns.upstreamDNSServers.length === 0 ? '/etc/resolv.conf' : coredns.upstreamDNSServers.join(' ');
  const main = block('.:53', [
    ...lines(coredns.additionalConfigs),
    'errors',
    'health {',
    '   lameduck 5s',
    '}',
    'ready',
    ...lines(coredns.rewriteBlock),
    `kubernetes ${domain} in-addr.arpa ip6.arpa {`,
    '   pods insecure',
    '   fallthrough in-addr.arpa ip6.arpa',
    '   ttl 30',
    '}',
    ...(dnsEtcHosts.trim() === '' ? [] : ['hosts /etc/coredns/hosts {', '   fallthrough', '}']),
    'prometheus :9153',
    `forward . ${upstream} {`,
    '   max_concurrent 1000',
    '   prefer_udp',
    '}',
    'cache 30',
    'loop',
    'reload',
    'loadbalance',
  ]);
  return [...zones, main].join('');
}

/** As long as by kubeadm until it is called not ready, and seconds instead of ten until it is found to be. */
export const READINESS = { periodSeconds: 2, failureThreshold: 15 };

/** The objects that hold it. A hosts file of its own lies beside, in the directory that CoreDNS has mounted. */
function corednsObjects(params: Coredns): readonly JsonObject[] {
  const name = 'coredns';
  const metadata = { name, namespace: 'kube-system' };
  const volumes = params.dns.dnsEtcHosts.trim() === '' ? {} : { volumes: corednsVolumes(params) };
  const pod = {
    containers: [{ name, readinessProbe: READINESS }],
    topologySpreadConstraints: [spreadOver(params.nodes)],
    ...volumes,
  };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: corednsData(params) },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { template: { spec: pod } } },
  ];
}

/**
 * On different nodes. What kubeadm says is only a preference: when CoreDNS starts there is one node, and both pods would stay there.
 * With `minDomains` the second one waits for the second node.
 */
export function spreadOver(nodes: number): JsonObject {
  return {
    topologyKey: 'kubernetes.io/hostname',
    maxSkew: 1,
    minDomains: Math.min(2, nodes),
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
    // While it is updated, old pods do not count.
    matchLabelKeys: ['pod-template-hash'],
  };
}

/** The files that CoreDNS reads. */
export function corednsData({ dns, domain }: Coredns): Readonly<Record<string, string>> {
  const hosts = dns.dnsEtcHosts.trim();
  return { Corefile: corefile(dns, domain), ...(hosts === '' ? {} : { hosts: `${hosts}\n` }) };
}

/** How its pods get them. */
export function corednsVolumes(params: Coredns) {
  const items = Object.keys(corednsData(params)).map((key) => ({ key, path: key }));
  return [{ name: 'config-volume', configMap: { name: 'coredns', items } }];
}

function block(title: string, inside: readonly string[]): string {
  return `${title} {\n${inside.map((line) => `    ${line}\n`).join('')}}\n`;
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function withPort(zone: string): string {
  return /:\d+$/.test(zone) ? zone : `${zone}:53`;
}
