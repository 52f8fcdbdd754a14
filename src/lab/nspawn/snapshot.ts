import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { kubexmError } from '../../model/errors/index.ts';
import type { LabPlaces } from '../types.ts';
import { cutMachines, settle, startMachines, stopMachines } from './boot.ts';
import { lookAt } from './machine.ts';
import { type LabRecord, labDir, type MachineRecord, machinePaths, writeRecord } from './record.ts';
import { must } from './run.ts';
import type { Work } from './work.ts';

/** What of a machine's directory is its disk. */
const DISK = ['upper', 'data'];

/** The snapshots of a lab that are whole. */
export function snapshotNames(places: LabPlaces, name: string): readonly string[] {
  const dir = join(labDir(places, name), 'snapshots');
  return existsSync(dir)
    ? readdirSync(dir)
        .filter((entry) => !entry.startsWith('.'))
        .sort()
    : [];
}

/** Copies all disks aside. One of the same name is replaced when the new one is whole. */
export async function takeSnapshot(work: Work, record: LabRecord, snapshot: string): Promise<void> {
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(snapshot)) throw kubexmError('KX6005', { detail: `snapshot ${snapshot}` });
  const running = runningOf(work, record);
  await stopMachines(work, record, running);
  const dir = join(labDir(work.places, record.name), 'snapshots');
  const part = join(dir, `.${snapshot}.part`);
  const old = join(dir, `.${snapshot}.old`);
  try {
    // Interrupted between its two renames, an earlier one left the old copy under this name.
    if (existsSync(old) && !existsSync(join(dir, snapshot))) renameSync(old, join(dir, snapshot));
    for (const stale of [part, old]) await rm(stale, { recursive: true, force: true });
    for (const machine of record.machines) {
      mkdirSync(join(part, machine.name), { recursive: true, mode: 0o700 });
      work.machine(machine.name, 'copying');
      await copyDisk(machinePaths(work.places, record.name, machine.name).dir, join(part, machine.name), work);
    }
    if (existsSync(join(dir, snapshot))) renameSync(join(dir, snapshot), old);
    renameSync(part, join(dir, snapshot));
    await rm(old, { recursive: true, force: true });
  } finally {
    // A copy that failed, on a full disk for instance, is no reason to leave the machines off.
    await rm(part, { recursive: true, force: true });
    await startMachines(work, record, running);
  }
}

/** Puts all disks back. Interrupted, the lab is in between: it has to be restored again, or deleted. */
export async function restoreSnapshot(work: Work, record: LabRecord, snapshot: string): Promise<void> {
  const from = join(labDir(work.places, record.name), 'snapshots', snapshot);
  if (!snapshotNames(work.places, record.name).includes(snapshot)) {
    throw kubexmError('KX6017', { name: record.name, snapshot });
  }
  // Interrupted before, it is not known any more which of them ran.
  const running = record.phase === 'restoring' ? record.machines : runningOf(work, record);
  writeRecord(work.places, { ...record, phase: 'restoring' });
  await cutMachines(work, record, running);
  await settle(
    record.machines.map(async (machine) => {
      const { dir } = machinePaths(work.places, record.name, machine.name);
      work.machine(machine.name, 'copying');
      for (const part of [...DISK, 'work']) await rm(join(dir, part), { recursive: true, force: true });
      await copyDisk(join(from, machine.name), dir, work);
      mkdirSync(join(dir, 'work'), { mode: 0o700 });
    }),
  );
  writeRecord(work.places, { ...record, phase: 'ready' });
  await startMachines(work, record, running);
}

/** With everything that is on a disk: owners, links, devices, attributes, holes. */
async function copyDisk(from: string, to: string, work: Work): Promise<void> {
  const parts = DISK.map((part) => join(from, part));
  await must('cp', ['-a', '--reflink=auto', '--', ...parts, to], {
    lock: work.lock.fd,
    ...(work.signal && { signal: work.signal }),
  });
}

function runningOf(work: Work, record: LabRecord): readonly MachineRecord[] {
  return record.machines.filter((machine) => {
    const { state } = lookAt(work.places, record, machine);
    return state === 'running' || state === 'starting';
  });
}
