import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubexmError } from '../../model/errors/index.ts';
import { isLabName, linkNames, macAddress } from '../names.ts';
import { addressIn, addressIn6 } from '../subnet.ts';
import type { DataDir, LabImage, LabPlaces } from '../types.ts';
import { Cgroups } from './cgroups.ts';
import type { AptSource } from './sources.ts';

/**
 * Everything a lab makes follows from this, and it is written before anything is made: whoever deletes the lab finds it all,
 * whenever making it was interrupted.
 */
export interface LabRecord {
  readonly version: 1;
  readonly provider: 'nspawn';
  readonly name: string;
  /** Six hexadecimal digits: in hardware addresses and groups, tells this lab's things from everybody else's. */
  readonly id: string;
  readonly created: string;
  readonly phase: 'making' | 'ready' | 'restoring' | 'removing';
  readonly image: LabImage;
  /** The image's directory. */
  readonly base: string;
  readonly memoryBytes?: number;
  readonly user: string;
  readonly sudoPassword: boolean;
  readonly subnet: string;
  readonly subnet6?: string;
  /** Makes the links' names unique where they are taken. */
  readonly linkSalt: string;
  /** Of the package repository, on the bridge's address. */
  readonly port: number;
  readonly sources: readonly AptSource[];
  readonly machines: readonly MachineRecord[];
}

/** What is fixed about a machine. */
export interface MachineRecord {
  readonly name: string;
  readonly index: number;
}

/** Directories that are bound into machines: an overlay cannot be laid on another one. */
const DATA = {
  '/var/lib/containerd': 'containerd',
  '/var/lib/kubelet': 'kubelet',
  '/var/lib/etcd': 'etcd',
  '/var/log/pods': 'pods',
};

/** The directory of a lab. */
export function labDir(places: LabPlaces, name: string): string {
  return join(places.labs, name);
}

/** The lock that whoever changes a lab holds. */
export function lockPath(places: LabPlaces, name: string): string {
  return join(places.labs, `.${name}.lock`);
}

/** What is recorded of a lab; undefined when there is none. */
export function readRecord(places: LabPlaces, name: string): LabRecord | undefined {
  const file = join(labDir(places, name), 'lab.json');
  return isLabName(name) && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as LabRecord) : undefined;
}

/** The record of a lab that has to be there. */
export function mustRead(places: LabPlaces, name: string): LabRecord {
  const record = readRecord(places, name);
  if (record) return record;
  throw kubexmError('KX6004', { name, names: labNames(places).join(', ') || '–' });
}

/** Replaces a lab's record at once. */
export function writeRecord(places: LabPlaces, record: LabRecord): LabRecord {
  const dir = labDir(places, record.name);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  writeFileSync(join(dir, 'lab.json.next'), `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(join(dir, 'lab.json.next'), join(dir, 'lab.json'));
  return record;
}

/** The labs that have a record. */
export function labNames(places: LabPlaces): readonly string[] {
  if (!existsSync(places.labs)) return [];
  return readdirSync(places.labs)
    .filter((name) => !name.startsWith('.') && existsSync(join(places.labs, name, 'lab.json')))
    .sort();
}

/** A lab's control groups. */
export function cgroupsOf(record: LabRecord): Cgroups {
  return new Cgroups(`${record.name}-${record.id}`);
}

/** The groups of the process that watches a machine, and of the package repository. */
export const launcherGroup = (machine: string): string => `${machine}.launcher`;
export const REPOSITORY_GROUP = 'repository';

/** The paths of a machine. */
export interface MachinePaths {
  readonly dir: string;
  readonly upper: string;
  readonly data: readonly (DataDir & { readonly name: string })[];
  readonly hostKey: string;
  readonly launch: string;
  readonly console: string;
  /** Exists while the cable is pulled. */
  readonly partitioned: string;
  /** Milliseconds. */
  readonly delay: string;
}

/** Where a machine's things are. */
export function machinePaths(places: LabPlaces, lab: string, machine: string): MachinePaths {
  const dir = join(labDir(places, lab), 'machines', machine);
  return {
    dir,
    upper: join(dir, 'upper'),
    data: Object.entries(DATA).map(([inside, name]) => ({ name, inside, outside: join(dir, 'data', name) })),
    hostKey: join(dir, 'ssh_host_ed25519_key'),
    launch: join(dir, 'launch'),
    console: join(dir, 'console.log'),
    partitioned: join(dir, 'partitioned'),
    delay: join(dir, 'delay'),
  };
}

/** A machine's end of the network. */
export interface MachineNetwork {
  readonly address: string;
  readonly address6?: string;
  readonly bridge: string;
  readonly host: string;
  readonly hostMac: string;
  readonly peerMac: string;
}

/** The names and addresses of a machine's cable. */
export function machineNetwork(record: LabRecord, index: number): MachineNetwork {
  const links = linkNames(record.name, record.linkSalt);
  return {
    address: addressIn(record.subnet, index),
    ...(record.subnet6 !== undefined && { address6: addressIn6(record.subnet6, index) }),
    bridge: links.bridge,
    host: links.host(index),
    hostMac: macAddress(record.id, 'host', index),
    peerMac: macAddress(record.id, 'machine', index),
  };
}

/** The box's end of the network. */
export function boxNetwork(record: LabRecord): { bridge: string; mac: string; address: string; address6?: string } {
  return {
    bridge: linkNames(record.name, record.linkSalt).bridge,
    mac: macAddress(record.id, 'bridge', 0),
    address: addressIn(record.subnet, 0),
    ...(record.subnet6 !== undefined && { address6: addressIn6(record.subnet6, 0) }),
  };
}
