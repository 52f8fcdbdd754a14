import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFileSync, syncDirectorySync } from '../../local/files.ts';
import { KubexmError, kubexmError } from '../../model/errors/index.ts';
import { isLabName, linkName, macAddress } from '../names.ts';
import { addressIn, addressIn6 } from '../subnet.ts';
import type { BrokenLab, DataDir, LabImage, LabPlaces } from '../types.ts';
import type { Member } from './box.ts';
import { Cgroups } from './cgroups.ts';
import { recordProblem } from './record-shape.ts';
import type { AptSource } from './sources.ts';

/**
 * Everything a lab makes follows from this, and it is written before anything is made: deleting the lab finds it all,
 * whenever its creation was interrupted.
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
  /** Makes the link's name unique where it is taken. */
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

/** What the other ends of the machines' cables are called, each with its number. */
const MACHINE_LINK = 'machine';

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

/** The lock that is held while a lab is changed. */
export function lockPath(places: LabPlaces, name: string): string {
  return join(places.labs, `.${name}.lock`);
}

/** What is recorded of a lab; undefined when there is none. One that is torn or somebody else's is an error. */
export function readRecord(places: LabPlaces, name: string): LabRecord | undefined {
  const file = recordPath(places, name);
  if (!isLabName(name) || !existsSync(file)) return undefined;
  const { value, problem } = parsed(readFileSync(file, 'utf8'), name);
  if (problem === undefined) return value as LabRecord;
  throw kubexmError('KX6023', { name, file, reason: problem });
}

/** The record of a lab that has to be there. */
export function mustRead(places: LabPlaces, name: string): LabRecord {
  const record = readRecord(places, name);
  if (record) return record;
  throw kubexmError('KX6004', { name, names: labNames(places).join(', ') || '–' });
}

/** Replaces a lab's record at once: it is whole, also after the box lost its power. */
export function writeRecord(places: LabPlaces, record: LabRecord): LabRecord {
  const file = recordPath(places, record.name);
  const made = mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  replaceFileSync(file, `${JSON.stringify(record, undefined, 2)}\n`, { draft: `${file}.next` });
  syncDirectorySync(dirname(file));
  // The new directory's own name is in the one above.
  if (made !== undefined) syncDirectorySync(dirname(made));
  return record;
}

/** What the box keeps of a lab: enough to find what it made even if its own record cannot be read. */
export function memberOf(places: LabPlaces, record: LabRecord): Member {
  const { link, mac } = boxNetwork(record);
  return { name: record.name, dir: labDir(places, record.name), subnet: record.subnet, id: record.id, link, mac };
}

/** The labs that have a record. */
export function labNames(places: LabPlaces): readonly string[] {
  if (!existsSync(places.labs)) return [];
  return readdirSync(places.labs)
    .filter((name) => !name.startsWith('.') && existsSync(join(places.labs, name, 'lab.json')))
    .sort();
}

/** The records that can be read, and what is wrong with the others. */
export function readRecords(places: LabPlaces): {
  readonly records: readonly LabRecord[];
  readonly broken: readonly BrokenLab[];
} {
  const records: LabRecord[] = [];
  const broken: BrokenLab[] = [];
  for (const name of labNames(places)) {
    try {
      const record = readRecord(places, name);
      if (record) records.push(record);
    } catch (error) {
      if (!(error instanceof KubexmError)) throw error;
      broken.push({ name, error });
    }
  }
  return { records, broken };
}

/** A lab's control groups. */
export function cgroupsOf(record: Pick<LabRecord, 'name' | 'id'>): Cgroups {
  return new Cgroups(`${record.name}-${record.id}`);
}

/** The groups of the process that watches a machine, of the package repository, and of the lab's network. */
export const launcherGroup = (machine: string): string => `${machine}.launcher`;
export const REPOSITORY_GROUP = 'repository';
export const NETWORK_GROUP = 'network';

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
  /** The other end of its cable, in the lab's network. */
  readonly host: string;
  readonly hostMac: string;
  readonly peerMac: string;
}

/** The names and addresses of a machine's cable. */
export function machineNetwork(record: LabRecord, index: number): MachineNetwork {
  return {
    address: addressIn(record.subnet, index),
    ...(record.subnet6 !== undefined && { address6: addressIn6(record.subnet6, index) }),
    host: `${MACHINE_LINK}${index}`,
    hostMac: macAddress(record.id, 'host', index),
    peerMac: macAddress(record.id, 'machine', index),
  };
}

/** The box's end of the network: the only link of a lab that the box itself has. */
export function boxNetwork(record: LabRecord): { link: string; mac: string; address: string; address6?: string } {
  return {
    link: linkName(record.name, record.linkSalt),
    mac: macAddress(record.id, 'box', 0),
    address: addressIn(record.subnet, 0),
    ...(record.subnet6 !== undefined && { address6: addressIn6(record.subnet6, 0) }),
  };
}

function recordPath(places: LabPlaces, name: string): string {
  return join(labDir(places, name), 'lab.json');
}

function parsed(text: string, name: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    const value: unknown = JSON.parse(text);
    const problem = recordProblem(value, name);
    return problem === undefined ? { value } : { problem };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
