import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubexmError } from '../../model/errors/index.ts';
import type { LabPlaces } from '../types.ts';
import { boxNetwork, type LabRecord, type MachineRecord, machineNetwork, machinePaths } from './record.ts';
import { must, run } from './run.ts';

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

/** Makes the bridge, or completes what was begun. A link of that name that is not this lab's is left alone. */
export async function makeBridge(record: LabRecord, lock: number): Promise<void> {
  const { bridge, mac, address, address6 } = boxNetwork(record);
  if (linkExists(bridge)) {
    if (macOf(bridge) !== mac) throw kubexmError('KX6012', { link: bridge, name: record.name });
  } else {
    await must('ip', ['link', 'add', 'name', bridge, 'address', mac, 'type', 'bridge'], { lock });
  }
  const commands = [
    `addr replace ${address}/24 dev ${bridge}`,
    ...(address6 === undefined ? [] : [`-6 addr replace ${address6}/64 dev ${bridge} nodad`]),
    `link set ${bridge} up`,
  ];
  await must('sh', ['-c', commands.map((command) => `ip ${command}`).join(' && ')], { lock });
  // Whatever else this box forwards, nothing that comes from machines leaves it.
  setting(`net/ipv4/conf/${bridge}/forwarding`, '0');
  setting(`net/ipv6/conf/${bridge}/accept_ra`, '0');
}

/** Removes the lab's links, and only those. */
export async function removeLinks(record: LabRecord, lock: number): Promise<void> {
  const { bridge, mac } = boxNetwork(record);
  const cables = record.machines.map(({ index }) => machineNetwork(record, index));
  const ours = [...cables.map((one) => [one.host, one.hostMac] as const), [bridge, mac] as const];
  for (const [link, address] of ours) {
    if (macOf(link) !== address) continue;
    const { code, stderr } = await run('ip', ['link', 'del', link], { lock });
    if (code !== 0 && linkExists(link))
      throw kubexmError('KX6018', { name: record.name, what: link }, { detail: stderr });
  }
}

/** Pulls a machine's cable, or plugs it in; recorded, so that it stays so when the machine starts anew. */
export async function setCable(
  places: LabPlaces,
  record: LabRecord,
  machine: MachineRecord,
  plugged: boolean,
  lock: number,
): Promise<void> {
  const file = machinePaths(places, record.name, machine.name).partitioned;
  const { host, bridge, hostMac } = machineNetwork(record, machine.index);
  if (plugged) rmSync(file, { force: true });
  else writeFileSync(file, '');
  if (macOf(host) !== hostMac) return;
  await must('ip', ['link', 'set', host, ...(plugged ? ['master', bridge, 'up'] : ['down'])], { lock });
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
  const { host, hostMac } = machineNetwork(record, machine.index);
  if (ms === 0) {
    rmSync(file, { force: true });
    if (macOf(host) === hostMac) await run('tc', ['qdisc', 'del', 'dev', host, 'root'], { lock });
    return;
  }
  // Asked on the bridge's own link if the machine is not there: that the kernel cannot do it should be said now.
  const link = macOf(host) === hostMac ? host : boxNetwork(record).bridge;
  const { code, stderr } = await run('tc', ['qdisc', 'replace', 'dev', link, 'root', 'netem', 'delay', `${ms}ms`], {
    lock,
  });
  if (code !== 0) {
    if (/qdisc kind is unknown|No such file/.test(stderr)) throw kubexmError('KX6016', {}, { detail: stderr });
    throw kubexmError('KX6020', { command: 'tc', reason: stderr.trim() });
  }
  if (link !== host) await run('tc', ['qdisc', 'del', 'dev', link, 'root'], { lock });
  writeFileSync(file, String(ms));
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
