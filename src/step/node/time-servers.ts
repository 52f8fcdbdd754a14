import type { Cluster, ClusterHost } from '../../model/cluster/index.ts';
import { contains, formatCidr, parseCidr, parseIp } from '../../model/cluster/ip.ts';
import type { AddressFact } from '../../model/facts.ts';

type Time = Pick<Cluster['spec'], 'hosts' | 'system'>;

/** A machine that gets lines for chrony. */
interface Asking {
  readonly name: string;
  readonly facts: { readonly addresses: readonly AddressFact[] };
}

/** Good enough to hold a network together, and worse than every real clock. */
const LOCAL_STRATUM = 10;

/**
 * Tells the lines for chrony on each machine: the servers of `system.ntpServers`, where the name or the address of a host means
 * that this one serves the time to the others. No lines where the system's own servers are to hold.
 */
export function timeLinesFor(spec: Time): (machine: Asking) => string {
  const { hosts, system } = spec;
  const serving = hosts.filter((host) => system.ntpServers.some((server) => isHost(host, server)));
  const outside = system.ntpServers.filter((server) => !serving.some((host) => isHost(host, server)));
  // The machine's own pool stays, for a day without any of these; as long as one of them answers it has no say.
  const first = ' prefer trust';
  const asked = (machine?: string) => [
    ...outside.map((server) => `${source(server)} iburst${first}`),
    ...serving
      .filter((host) => host.name !== machine)
      .flatMap((host) => host.internal.list.slice(0, 1))
      // It may come up after those who ask it: they ask every 16 seconds until it answers, not every minute or two.
      .map((address) => `server ${address} iburst minpoll 4${outside.length === 0 ? first : ''}`),
  ];
  const ofOthers = asked().join('\n');
  return (machine) => {
    if (!serving.some((host) => host.name === machine.name)) return ofOthers;
    return [...asked(machine.name), ...servingLines(spec, machine)].join('\n');
  };
}

/** Lets the machines of the cluster in. Several such servers agree on one of them (`orphan`) when no real clock answers. */
function servingLines({ hosts }: Time, machine: Asking): readonly string[] {
  const own = hosts.find((host) => host.name === machine.name)?.internal.list ?? [];
  const networks = machine.facts.addresses
    .filter(({ address }) => own.includes(address))
    .flatMap(({ address, prefix }) => parseCidr(`${address}/${prefix}`) ?? []);
  const beyond = hosts
    .flatMap((host) => host.internal.list)
    .filter((address) => {
      const ip = parseIp(address);
      return ip !== undefined && !networks.some((network) => contains(network, ip));
    });
  const allowed = [...networks.map(formatCidr), ...beyond];
  return [...allowed.map((from) => `allow ${from}`), `local stratum ${LOCAL_STRATUM} orphan`];
}

function isHost(host: ClusterHost, server: string): boolean {
  return host.name === server || host.address === server || host.internal.list.includes(server);
}

/** A name of a pool stands for many servers. */
function source(server: string): string {
  const [, name = server, port] = parseIp(server) === undefined ? (/^(.*?)(?::(\d+))?$/.exec(server) ?? []) : [];
  const word = /(?:^|\.)pool\./.test(name) ? 'pool' : 'server';
  return `${word} ${name}${port === undefined ? '' : ` port ${port}`}`;
}
