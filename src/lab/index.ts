import { kubexmError } from '../model/errors/index.ts';
import { takeBaseline } from './diff/baseline.ts';
import { nspawn } from './nspawn/provider.ts';
import { ensurePrograms } from './nspawn/requirements.ts';
import type {
  AfterFirstBoot,
  BrokenLab,
  CreateLabOptions,
  ExecOptions,
  ExecResult,
  Lab,
  LabMachine,
  LabOptions,
  LabSpec,
  MachineCommand,
  MachineRef,
} from './types.ts';

export { LAB_KUBERNETES, labConfig } from './config.ts';
export { labPlaces } from './places.ts';
export * from './types.ts';

/**
 * Installs on this machine what labs need there and what else is asked for (`needs`: names that recipes of the catalog use), all
 * of it in one go, before anything else begins.
 */
export async function prepareBox(needs: readonly string[], options: LabOptions = {}): Promise<void> {
  const signal = options.signal && { signal: options.signal };
  await ensurePrograms({ needs, report: options.progress ?? (() => undefined), ...signal });
}

const provider = nspawn;
const SNAPSHOT = 'snapshot';

/** Makes a lab and waits until somebody can log in to each machine. Interrupted, it leaves something to delete. */
export function createLab(spec: LabSpec, options: CreateLabOptions = {}): Promise<Lab> {
  const afterFirstBoot: AfterFirstBoot = (machine) => takeBaseline(machine, execInMachine);
  return provider.create(spec, { afterFirstBoot, ...options });
}

/** A lab with the state of its machines now. */
export function openLab(name: string, options: LabOptions = {}): Promise<Lab> {
  return provider.open(name, options);
}

/** All labs, by name; without those of which nothing is known. */
export function listLabs(options: LabOptions = {}): Promise<readonly Lab[]> {
  return provider.list(options);
}

/** The labs whose records cannot be read. They can be deleted. */
export function brokenLabs(options: LabOptions = {}): Promise<readonly BrokenLab[]> {
  return provider.broken(options);
}

/** Removes a lab, also one that was half made, with everything it made on this box. False: there was nothing. */
export function deleteLab(name: string, options: LabOptions = {}): Promise<boolean> {
  return provider.remove(name, options);
}

/** A machine of any lab. */
export async function findMachine(machine: MachineRef, options: LabOptions = {}): Promise<LabMachine> {
  if (typeof machine !== 'string') return pick(await provider.open(machine.lab, options), machine.name);
  const labs = await provider.list(options);
  const found = labs.flatMap((lab) => lab.machines).find((one) => one.name === machine);
  if (found !== undefined) return found;
  const broken = (await provider.broken(options)).find(({ name }) => `${machine}-`.startsWith(`${name}-`));
  throw broken?.error ?? unknownMachine(machine, labs);
}

/** Starts all machines of a lab that do not run. */
export async function startLab(name: string, options: LabOptions = {}): Promise<Lab> {
  const lab = await provider.open(name, options);
  await provider.start(name, names(lab), options);
  return provider.open(name, options);
}

/** Shuts all machines of a lab down. */
export async function stopLab(name: string, options: LabOptions = {}): Promise<Lab> {
  const lab = await provider.open(name, options);
  await provider.stop(name, names(lab), options);
  return provider.open(name, options);
}

/** Reboots all machines of a lab at once. */
export async function rebootLab(name: string, options: LabOptions = {}): Promise<Lab> {
  const lab = await provider.open(name, options);
  await provider.reboot(name, names(lab), options);
  return provider.open(name, options);
}

/** Cuts the power of all machines of a lab. */
export async function cutLab(name: string, options: LabOptions = {}): Promise<Lab> {
  const lab = await provider.open(name, options);
  await provider.cut(name, names(lab), options);
  return provider.open(name, options);
}

/** Starts a machine and waits until somebody can log in. One that runs is left alone. */
export function startMachine(machine: MachineRef, options: LabOptions = {}): Promise<LabMachine> {
  return change(machine, options, (one) => provider.start(one.lab, [one.name], options));
}

/** Shuts a machine down, as `poweroff` does. */
export function stopMachine(machine: MachineRef, options: LabOptions = {}): Promise<LabMachine> {
  return change(machine, options, (one) => provider.stop(one.lab, [one.name], options));
}

/** Reboots a machine and waits until somebody can log in again. */
export function rebootMachine(machine: MachineRef, options: LabOptions = {}): Promise<LabMachine> {
  return change(machine, options, (one) => provider.reboot(one.lab, [one.name], options));
}

/** Cuts a machine's power. */
export function cutMachine(machine: MachineRef, options: LabOptions = {}): Promise<LabMachine> {
  return change(machine, options, (one) => provider.cut(one.lab, [one.name], options));
}

/** Pulls a machine's network cable; it stays out over reboots. */
export function partitionMachine(machine: MachineRef, options: LabOptions = {}): Promise<LabMachine> {
  return change(machine, options, (one) => provider.partition(one.lab, one.name, options));
}

/** Plugs a machine's network cable in again. */
export function healMachine(machine: MachineRef, options: LabOptions = {}): Promise<LabMachine> {
  return change(machine, options, (one) => provider.heal(one.lab, one.name, options));
}

/** Makes every packet to a machine wait, so that each round trip takes that much longer; 0 for no longer. */
export function delayMachine(machine: MachineRef, ms: number, options: LabOptions = {}): Promise<LabMachine> {
  return change(machine, options, (one) => provider.delay(one.lab, one.name, ms, options));
}

/** Keeps a copy of all machines' disks. Machines that run are stopped for it and started again. */
export async function snapshotLab(name: string, options: LabOptions = {}, snapshot = SNAPSHOT): Promise<Lab> {
  await provider.snapshot(name, snapshot, options);
  return provider.open(name, options);
}

/** Puts the disks back to what they were at the snapshot. Machines that run lose their power for it and are started again. */
export async function restoreLab(name: string, options: LabOptions = {}, snapshot = SNAPSHOT): Promise<Lab> {
  await provider.restore(name, snapshot, options);
  return provider.open(name, options);
}

/** Runs a script (by /bin/sh) or a command in a machine as root, past its network. Not running is an error, non-zero is not. */
export function execInMachine(
  machine: LabMachine,
  command: MachineCommand,
  options: ExecOptions = {},
): Promise<ExecResult> {
  return provider.exec(machine, command, options);
}

async function change(
  machine: MachineRef,
  options: LabOptions,
  act: (machine: LabMachine) => Promise<void>,
): Promise<LabMachine> {
  const one = await findMachine(machine, options);
  await act(one);
  return findMachine(one, options);
}

function names(lab: Lab): readonly string[] {
  return lab.machines.map((machine) => machine.name);
}

function pick(lab: Lab, name: string): LabMachine {
  const machine = lab.machines.find((one) => one.name === name);
  if (machine === undefined) throw unknownMachine(name, [lab]);
  return machine;
}

function unknownMachine(name: string, labs: readonly Lab[]): Error {
  return kubexmError('KX6003', { name, names: labs.flatMap(names).join(', ') || '–' });
}
