import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubexmError } from '../../model/errors/index.ts';
import type { LabPlaces } from '../types.ts';
import { BRIDGE, inNetwork, networkProcess, startNetwork } from './namespace.ts';
import { boxNetwork, type LabRecord, type MachineRecord, machineNetwork, machinePaths } from './record.ts';
import { must, run } from './run.ts';

/** The box's end of the cable to the lab, seen from the lab. */
const UPLINK = 'box';
/** In the lab's network; completes what was begun. */
const MAKE_BRIDGE = `ip link show dev "$1" >/dev/null 2>&1 || ip link add name "$1" type bridge || exit 1
ip link set lo up && ip link set dev "$1" up && ip link set dev "$2" master "$1" up`;
/** A machine that does not run has no cable. */
const SET_CABLE = `ip link show dev "$1" >/dev/null 2>&1 || exit 0
if [ "$3" = plugged ]; then ip link set dev "$1" master "$2" up; else ip link set dev "$1" down; fi`;

interface RouteLine {
  readonly dst?: string;
  readonly type?: string;
}

interface AddressLine {
  readonly addr_info?: readonly { readonly local?: string; readonly prefixlen?: number }[];
}

/** The networks that this box has routes to or addresses in. */
export async function takenNetworks(lock: number): Promise<readonly string[]> {
  const routes = JSON.parse(await must('ip', ['-j', '-4', 'route', 'show', 'table', 'all'], { lock })) as RouteLine[];
  const addresses = JSON.parse(await must('ip', ['-j', '-4', 'addr', 'show'], { lock })) as AddressLine[];
  return networksOf(routes, addresses);
}

/** The same from what `ip -j` prints. A default route leads everywhere and takes nothing. */
export function networksOf(routes: readonly RouteLine[], addresses: readonly AddressLine[]): readonly string[] {
  const routed = routes.flatMap(({ dst = 'default', type }) => {
    if (dst === 'default' || dst === '0.0.0.0/0' || type === 'broadcast') return [];
    return [dst.includes('/') ? dst : `${dst}/32`];
  });
  const own = addresses.flatMap((one) => (one.addr_info ?? []).map((info) => `${info.local}/${info.prefixlen}`));
  return [...new Set([...routed, ...own])];
}

/** Whether a link of that name exists. */
export function linkExists(name: string): boolean {
  return existsSync(`/sys/class/net/${name}`);
}

/**
 * Makes the lab's network, or completes what was begun: a bridge in a network namespace of the lab's own, where no rule and no
 * setting of the box applies, and one cable to the box. A link of that name that is not this lab's is left alone. Answers with
 * the process that keeps the namespace.
 */
export async function makeNetwork(record: LabRecord, lock: number): Promise<number> {
  const { link, mac, address, address6 } = boxNetwork(record);
  if (linkExists(link) && macOf(link) !== mac) throw kubexmError('KX6012', { link, name: record.name });
  const keeper = await startNetwork(record, lock);
  // One whose other end went with an old namespace may still be there for a moment.
  if (linkExists(link) && !(await hasLink(keeper, UPLINK, lock))) await run('ip', ['link', 'del', link], { lock });
  if (!linkExists(link)) {
    const peer = ['type', 'veth', 'peer', 'name', UPLINK, 'netns', String(keeper)];
    await must('ip', ['link', 'add', 'name', link, 'address', mac, ...peer], { lock });
  }
  await must(...inNetwork(keeper, ['sh', '-c', MAKE_BRIDGE, 'bridge', BRIDGE, UPLINK]), { lock });
  const commands = [
    `addr replace ${address}/24 dev ${link}`,
    ...(address6 === undefined ? [] : [`-6 addr replace ${address6}/64 dev ${link} nodad`]),
    `link set ${link} up`,
  ];
  await must('sh', ['-c', commands.map((command) => `ip ${command}`).join(' && ')], { lock });
  // Whatever else this box forwards, nothing that comes from machines leaves it.
  setting(`net/ipv4/conf/${link}/forwarding`, '0');
  setting(`net/ipv6/conf/${link}/accept_ra`, '0');
  return keeper;
}

/** Removes the box's link to a lab, and only that: all others are gone with the lab's namespace. */
export async function removeLink(
  lab: { readonly name: string; readonly link: string; readonly mac: string },
  lock: number,
): Promise<void> {
  if (macOf(lab.link) !== lab.mac) return;
  const { code, stderr } = await run('ip', ['link', 'del', lab.link], { lock });
  if (code !== 0 && linkExists(lab.link)) {
    throw kubexmError('KX6018', { name: lab.name, what: lab.link }, { detail: stderr });
  }
}

/** Pulls a machine's cable, or plugs it in; recorded, so that it stays so when the machine restarts. */
export async function setCable(
  places: LabPlaces,
  record: LabRecord,
  machine: MachineRecord,
  plugged: boolean,
  lock: number,
): Promise<void> {
  const file = machinePaths(places, record.name, machine.name).partitioned;
  if (plugged) rmSync(file, { force: true });
  else writeFileSync(file, '');
  const keeper = networkProcess(record);
  if (keeper === undefined) return;
  const { host } = machineNetwork(record, machine.index);
  const words = ['sh', '-c', SET_CABLE, 'cable', host, BRIDGE, plugged ? 'plugged' : 'pulled'];
  await must(...inNetwork(keeper, words), { lock });
}

/** Makes packets to a machine wait. */
export async function setDelay(
  places: LabPlaces,
  record: LabRecord,
  machine: MachineRecord,
  ms: number,
  lock: number,
): Promise<void> {
  const file = machinePaths(places, record.name, machine.name).delay;
  const { host } = machineNetwork(record, machine.index);
  const keeper = networkProcess(record);
  const cable = keeper !== undefined && (await hasLink(keeper, host, lock)) ? inNetwork(keeper, ['tc']) : undefined;
  if (ms === 0) {
    rmSync(file, { force: true });
    if (cable) await run(cable[0], [...cable[1], 'qdisc', 'del', 'dev', host, 'root'], { lock });
    return;
  }
  // Tried on a link of no importance if the machine is not there: that the kernel cannot do it should be said now.
  const [command, words] = cable ?? ['unshare', ['--net', 'tc']];
  const netem = ['qdisc', 'replace', 'dev', cable ? host : 'lo', 'root', 'netem', 'delay', `${ms}ms`];
  const { code, stderr } = await run(command, [...words, ...netem], { lock });
  if (code !== 0) {
    if (/qdisc kind is unknown|No such file/.test(stderr)) throw kubexmError('KX6016', {}, { detail: stderr });
    throw kubexmError('KX6020', { command: 'tc', reason: stderr.trim() });
  }
  writeFileSync(file, String(ms));
}

async function hasLink(keeper: number, link: string, lock: number): Promise<boolean> {
  return (await run(...inNetwork(keeper, ['ip', 'link', 'show', 'dev', link]), { lock })).code === 0;
}

function macOf(link: string): string | undefined {
  try {
    return readFileSync(join('/sys/class/net', link, 'address'), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** A setting of a link of ours: gone with it. */
function setting(path: string, value: string): void {
  const file = join('/proc/sys', path);
  if (existsSync(file)) writeFileSync(file, value);
}
