import { type ClusterHost, isNode, SSH_DEFAULTS } from '../../model/cluster/cluster.ts';
import type { ClusterDocument } from '../../model/cluster/document.ts';
import { addressKind, families, parseIp } from '../../model/cluster/ip.ts';
import type { Path } from '../tree.ts';
import { type Rule, rule } from './rule.ts';

const hostPath = (index: number, key: string): Path => ['spec', 'hosts', index, key];

/** The families of addresses in words. */
export function familyNames(value: { readonly list: readonly string[] }): string {
  return value.list.map((text) => (text.includes(':') ? 'IPv6' : 'IPv4')).join(',') || '-';
}

const uniqueNames = rule([], ({ cluster, report }) => {
  const first = new Map<string, number>();
  cluster.spec.hosts.forEach(({ name }, i) => {
    const other = first.get(name);
    if (other === undefined) first.set(name, i);
    else report('KX2401', { host: name }, hostPath(i, 'name'), hostPath(other, 'name'));
  });
});

const uniqueAddresses = rule([], ({ cluster, report }) => {
  const first = new Map<string, number>();
  cluster.spec.hosts.forEach((host, i) => {
    const address = `${host.address} ${host.ssh.port ?? SSH_DEFAULTS.port}`;
    // Behind bastions the same private address may be another machine.
    const key = `${address} ${host.ssh.bastions.map((hop) => hop.address).join()}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, i);
    else {
      const names = { first: cluster.spec.hosts[other]?.name ?? '', second: host.name };
      report('KX2402', { ...names, address }, hostPath(i, 'address'), hostPath(other, 'address'));
    }
  });
});

/** Hosts that only repeat each other's address: that has been said already. */
function sameLogin(a: Written | undefined, b: Written | undefined): boolean {
  return a?.internalAddress === undefined && b?.internalAddress === undefined && a?.port === b?.port;
}
type Written = ClusterDocument['spec']['hosts'][number];

const uniqueInternal = rule([], ({ cluster, document, report }) => {
  const place = (i: number): Path =>
    hostPath(i, document.spec.hosts[i]?.internalAddress === undefined ? 'address' : 'internalAddress');
  const first = new Map<string, number>();
  cluster.spec.hosts.forEach((host, i) => {
    for (const address of host.internal.list) {
      const other = first.get(address);
      if (other === undefined) first.set(address, i);
      else if (!sameLogin(document.spec.hosts[other], document.spec.hosts[i])) {
        const names = { first: cluster.spec.hosts[other]?.name ?? '', second: host.name };
        report('KX2403', { ...names, address }, place(i), place(other));
      }
    }
  });
});

const sameFamilies = rule(
  ['spec.hosts.*.internalAddress', 'spec.hosts.*.address', 'spec.roleGroups'],
  ({ cluster, report }) => {
    const addressed = (host: ClusterHost): boolean => isNode(host) && host.internal.list.length > 0;
    const first = cluster.spec.hosts.find(addressed);
    if (first === undefined) return;
    cluster.spec.hosts.forEach((host, i) => {
      if (!addressed(host) || families(host.internal) === families(first.internal)) return;
      const has = familyNames(host.internal);
      const params = { host: host.name, has, first: first.name, wants: familyNames(first.internal) };
      report('KX2410', params, hostPath(i, 'internalAddress'));
    });
  },
);

const loopback = rule([], ({ cluster, report }) => {
  cluster.spec.hosts.forEach((host, i) => {
    const address = host.internal.list.find((text) => {
      const ip = parseIp(text);
      return ip !== undefined && addressKind(ip) === 'loopback';
    });
    if (address !== undefined) report('KX2910', { host: host.name, address }, hostPath(i, 'internalAddress'));
  });
});

const someHost = rule(['spec.hosts'], ({ cluster, report }) => {
  if (cluster.spec.hosts.length === 0) report('KX2406', {}, ['spec', 'hosts']);
});

const someMaster = rule(['spec.hosts', 'spec.roleGroups.master'], ({ cluster, document, report }) => {
  // If names were given, what is wrong with them has been said.
  if (
    cluster.spec.hosts.length > 0 &&
    [...cluster.spec.roleGroups.master, ...document.spec.roleGroups.master].length === 0
  ) {
    report('KX2407', {}, ['spec', 'roleGroups', 'master']);
  }
});

const everyHostHasRole = rule(['spec.roleGroups', 'spec.hosts.*.roles'], ({ cluster, report }) => {
  if (cluster.spec.roleGroups.master.length === 0) return;
  cluster.spec.hosts.forEach((host, i) => {
    if (host.roles.length === 0) report('KX2903', { host: host.name }, hostPath(i, 'name'));
  });
});

/** Rules over hosts and roles. */
export const hostRules: readonly Rule[] = [
  uniqueNames,
  uniqueAddresses,
  uniqueInternal,
  sameFamilies,
  loopback,
  someHost,
  someMaster,
  everyHostHasRole,
];
