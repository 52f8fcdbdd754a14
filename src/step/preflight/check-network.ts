import { type Cidr, overlaps, parseCidr } from '../../model/cluster/ip.ts';
import type { Facts } from '../../model/facts.ts';
import type { Expected, ExpectedHost } from './expected.ts';
import { type Finding, finding } from './finding.ts';

/** Links that a cluster makes: their addresses are the cluster's own, or leftovers that are reported as such. */
const OWN_LINKS = /^(cni|flannel|cali|tunl|vxlan\.calico|cilium|lxc|kube-|nodelocaldns|veth)/;
const MOST_NOTES = 3;

/** What tells a machine from all others. */
export type Identity = {
  readonly name: string;
  readonly hostname: string;
  readonly machineId: string;
  readonly arch: string;
  readonly addresses: readonly string[];
};

/** Whether the file knows the machines: their processors and addresses, and that each is one of its own. */
export function identityFindings(expected: readonly ExpectedHost[], machines: readonly Identity[]): readonly Finding[] {
  const byName = new Map(machines.map((machine) => [machine.name, machine]));
  const holders = new Map<string, Set<string>>();
  for (const { name, addresses } of machines)
    for (const address of addresses) holders.set(address, (holders.get(address) ?? new Set()).add(name));
  const known = expected.filter(({ name }) => byName.has(name));
  const internal = known.flatMap((host) => host.internal.map((address) => ({ name: host.name, address })));
  const absent = internal.filter(({ name, address }) => !holders.get(address)?.has(name));
  const shared = internal.filter(({ address }) => (holders.get(address)?.size ?? 0) > 1);
  return [
    ...known.flatMap(({ name, arch: wanted }) => {
      const arch = byName.get(name)?.arch ?? '';
      return wanted === undefined || wanted === arch
        ? []
        : [finding('KX4506', 'error' as const, name, { wanted, arch })];
    }),
    ...duplicates(machines, ({ hostname }) => hostname).map(([hostname, names]) =>
      finding('KX4523', 'warning', names, { hostname }),
    ),
    ...duplicates(machines, ({ machineId }) => machineId).map(([id, names]) =>
      finding('KX4526', 'error', names, { id }),
    ),
    ...absent.map(({ name, address }) => finding('KX4524', 'error', name, {}, address)),
    ...[...new Set(shared.map(({ address }) => address))].map((address) =>
      finding('KX4525', 'error', [...(holders.get(address) ?? [])], { address }),
    ),
  ];
}

/** Values that more than one has, and who. */
export function duplicates<T extends { readonly name: string }>(
  all: readonly T[],
  value: (one: T) => string,
): readonly (readonly [string, readonly string[]])[] {
  const groups = Map.groupBy(
    all.filter((one) => value(one) !== ''),
    value,
  );
  return [...groups].flatMap(([text, some]) =>
    some.length > 1 ? [[text, some.map(({ name }) => name)] as const] : [],
  );
}

/** Whether the networks of pods and services are in use on a machine already. */
export function clashFindings({ networks }: Expected, name: string, facts: Facts): readonly Finding[] {
  const taken = [
    ...facts.routes.map(({ destination, device }) => ({ cidr: networkOf(destination), text: destination, device })),
    ...facts.addresses.map(({ address, device }) => ({ cidr: networkOf(address), text: address, device })),
  ].filter(({ device }) => !OWN_LINKS.test(device));
  return networks.flatMap(({ field, cidr }) => {
    const network = parseCidr(cidr);
    const clashes = taken.filter((one) => network && one.cidr && overlaps(network, one.cidr));
    const inside = clashes.filter((one) => (one.cidr?.prefix ?? 0) >= (network?.prefix ?? 0));
    const around = clashes.filter((one) => !inside.includes(one));
    return [
      ...(inside.length > 0 ? [finding('KX4543', 'error' as const, name, { field, cidr }, noteOf(inside))] : []),
      ...(around.length > 0 ? [finding('KX4544', 'warning' as const, name, { field, cidr }, noteOf(around))] : []),
    ];
  });
}

function noteOf(taken: readonly { readonly text: string; readonly device: string }[]): string {
  const all = taken.map(({ text, device }) => `${text} ${device}`);
  return `${all.slice(0, MOST_NOTES).join(', ')}${all.length > MOST_NOTES ? ' …' : ''}`;
}

/** A route's or an address's network; the default route is everybody's. */
function networkOf(text: string): Cidr | undefined {
  if (text === 'default') return undefined;
  return parseCidr(text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`);
}
